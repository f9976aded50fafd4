/* An enum without tag or typedef: only its names are left. */
enum {
	LINK_NONE,
	LINK_WIRE,
	LINK_RADIO,
};

struct link {
	unsigned char layer;
};
