/* A macro that names an enumerator, and one that combines two. */
enum colour { COLOUR_RED = 1, COLOUR_BLUE = 0x80000000 };

#define COLOUR_FIRST COLOUR_RED
#define COLOUR_BOTH (COLOUR_RED | COLOUR_BLUE)
