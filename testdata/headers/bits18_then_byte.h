/* A byte fills the rest of the word that a bit-field began. */
struct bits_then_byte {
	unsigned index : 18;
	unsigned char lane;
};
