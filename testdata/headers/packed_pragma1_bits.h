/* Bit-fields under #pragma pack(1) go on across the words. */
#pragma pack(push, 1)
struct packed_bits {
	int level : 11;
	unsigned width : 12;
	unsigned depth : 23;
};
#pragma pack(pop)
