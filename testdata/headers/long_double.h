/* Floating-point members, the longest of 16 bytes. */
struct floats {
	float f;
	double d;
	char c;
	long double l;
};
