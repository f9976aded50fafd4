/* Struct, union and enum without a tag, named by a typedef. */
typedef struct {
	char c;
	long l;
} plain_struct_t;
typedef union {
	char c[5];
	short s;
} plain_union_t;
typedef enum {
	PLAIN_ENUM_A = 3,
} plain_enum_t;

struct holds_typedefs {
	char c;
	plain_union_t u;
	plain_enum_t e;
	plain_struct_t s;
};
