/* Two structs with an unnamed-type member of one name and different contents. */
struct first_holder {
	int a;
	struct {
		long wide;
	} inner;
};

struct second_holder {
	char a;
	struct {
		char narrow;
	} inner;
};
