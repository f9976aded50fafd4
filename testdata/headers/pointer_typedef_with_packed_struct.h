/* A pointer typedef declared together with a packed struct: other structs stay as they are. */
typedef struct {
	char c;
	int i;
} __attribute__((packed)) tight_t, *tight_ptr;

struct holds_pointer {
	tight_ptr p;
	char c;
	int i;
};
