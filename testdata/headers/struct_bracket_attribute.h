/* An attribute in double brackets, as C23 writes them. */
struct [[gnu::packed]] bracket_packed {
	char c;
	int i;
};
