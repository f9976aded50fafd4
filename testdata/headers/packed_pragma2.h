/* #pragma pack(2): members are aligned to two bytes at most. */
#pragma pack(push, 2)
struct pragma2 {
	char tag;
	short count;
	char kind;
	int total;
};
#pragma pack(pop)
