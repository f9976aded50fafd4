/* #pragma pack pushed twice and popped twice; each struct follows the innermost. */
#pragma pack(push, 4)
struct in_four {
	char c;
	long l;
};
#pragma pack(push, 1)
struct in_one {
	char c;
	long l;
};
#pragma pack(pop)
struct in_four_again {
	char c;
	long l;
	struct in_one inner;
};
#pragma pack(pop)
struct in_none {
	char c;
	long l;
};
