/* A union without any size that still has an alignment. */
union empty_arrays {
	char bytes[0];
	int words[0];
};
