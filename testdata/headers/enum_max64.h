/* The largest value of all, counted up to. */
enum top_values {
	TOP_VALUE_BEFORE = 0xfffffffffffffffe,
	TOP_VALUE,
};
