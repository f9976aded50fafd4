/* A struct that is never defined, reached by a pointer; and one that points to itself. */
struct hidden_inside;

struct holds_opaque {
	struct hidden_inside *impl;
	struct holds_opaque *next;
	void *cookie;
};
