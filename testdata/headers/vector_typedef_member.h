/* A vector type through a typedef: 16 bytes, aligned to 16. */
typedef int vector_of_four __attribute__((vector_size(16)));

struct holds_vector {
	int i;
	vector_of_four v;
};
