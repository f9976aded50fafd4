/* Unnamed bit-fields only move what follows; one of width zero closes the storage unit. */
struct bits_holes {
	unsigned char a : 3;
	unsigned char : 2;
	unsigned char b : 2;
	unsigned short : 0;
	unsigned char c : 1;
	char last;
};
