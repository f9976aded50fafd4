/* A one-bit field shares a word with an int; one as wide as its type needs a word of its own. */
struct bits_long {
	int plain;
	unsigned long one : 1;
	unsigned long all : 64;
};
