/* A 16-byte integer needs 16-byte alignment. */
struct holds_int128 {
	int tag;
	__int128 big;
};
