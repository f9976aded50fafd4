/* Bit-fields of char, then of short: the second kind starts where a short may. */
struct char_and_short {
	char head;
	char low : 4;
	char high : 4;
	short six : 6;
	short ten : 10;
};
