/* A macro defined twice with one body, and one that is taken back and defined anew. */
#define MACRO_SAME 4
#define MACRO_SAME 4
#define MACRO_ANEW 1
#undef MACRO_ANEW
#define MACRO_ANEW 2
#define MACRO_GONE 3
#undef MACRO_GONE
