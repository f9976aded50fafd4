/* _Alignas on a member. */
struct holds_alignas {
	char c;
	_Alignas(32) char line[3];
};
