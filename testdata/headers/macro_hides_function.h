/* A function-like macro in front of a function of the same name. */
struct hidden_arg {
	int value;
};

int hidden_call(struct hidden_arg *arg);
#define hidden_call(arg) hidden_other(arg)
static inline int hidden_other(struct hidden_arg *arg)
{
	return arg->value;
}
