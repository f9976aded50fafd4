/* Arrays of arrays, of pointers and of functions' addresses. */
struct holds_arrays {
	char grid[3][5];
	short *cells[2][2];
	int (*calls[2])(int);
	int (*row)[4];
};
