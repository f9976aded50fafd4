/* A macro of pointer type is not an integer constant. */
#define MACRO_NO_ADDRESS ((void *)-1)
#define MACRO_NUMBER 17
