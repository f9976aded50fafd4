/* Many types that do not depend on each other: their order in any output must not vary. */
struct free_s01 {
	int a;
	char b[1];
};
union free_u01 {
	long a;
	char b[1];
};
enum free_e01 { FREE_E01_A = 1, FREE_E01_B };
#define FREE_M01 3
struct free_s02 {
	int a;
	char b[2];
};
union free_u02 {
	long a;
	char b[2];
};
enum free_e02 { FREE_E02_A = 2, FREE_E02_B };
#define FREE_M02 6
struct free_s03 {
	int a;
	char b[3];
};
union free_u03 {
	long a;
	char b[3];
};
enum free_e03 { FREE_E03_A = 3, FREE_E03_B };
#define FREE_M03 9
struct free_s04 {
	int a;
	char b[4];
};
union free_u04 {
	long a;
	char b[4];
};
enum free_e04 { FREE_E04_A = 4, FREE_E04_B };
#define FREE_M04 12
struct free_s05 {
	int a;
	char b[5];
};
union free_u05 {
	long a;
	char b[5];
};
enum free_e05 { FREE_E05_A = 5, FREE_E05_B };
#define FREE_M05 15
struct free_s06 {
	int a;
	char b[6];
};
union free_u06 {
	long a;
	char b[6];
};
enum free_e06 { FREE_E06_A = 6, FREE_E06_B };
#define FREE_M06 18
struct free_s07 {
	int a;
	char b[7];
};
union free_u07 {
	long a;
	char b[7];
};
enum free_e07 { FREE_E07_A = 7, FREE_E07_B };
#define FREE_M07 21
struct free_s08 {
	int a;
	char b[8];
};
union free_u08 {
	long a;
	char b[8];
};
enum free_e08 { FREE_E08_A = 8, FREE_E08_B };
#define FREE_M08 24
struct free_s09 {
	int a;
	char b[9];
};
union free_u09 {
	long a;
	char b[9];
};
enum free_e09 { FREE_E09_A = 9, FREE_E09_B };
#define FREE_M09 27
struct free_s10 {
	int a;
	char b[10];
};
union free_u10 {
	long a;
	char b[10];
};
enum free_e10 { FREE_E10_A = 10, FREE_E10_B };
#define FREE_M10 30
struct free_s11 {
	int a;
	char b[11];
};
union free_u11 {
	long a;
	char b[11];
};
enum free_e11 { FREE_E11_A = 11, FREE_E11_B };
#define FREE_M11 33
struct free_s12 {
	int a;
	char b[12];
};
union free_u12 {
	long a;
	char b[12];
};
enum free_e12 { FREE_E12_A = 12, FREE_E12_B };
#define FREE_M12 36
struct free_s13 {
	int a;
	char b[13];
};
union free_u13 {
	long a;
	char b[13];
};
enum free_e13 { FREE_E13_A = 13, FREE_E13_B };
#define FREE_M13 39
struct free_s14 {
	int a;
	char b[14];
};
union free_u14 {
	long a;
	char b[14];
};
enum free_e14 { FREE_E14_A = 14, FREE_E14_B };
#define FREE_M14 42
struct free_s15 {
	int a;
	char b[15];
};
union free_u15 {
	long a;
	char b[15];
};
enum free_e15 { FREE_E15_A = 15, FREE_E15_B };
#define FREE_M15 45
struct free_s16 {
	int a;
	char b[16];
};
union free_u16 {
	long a;
	char b[16];
};
enum free_e16 { FREE_E16_A = 16, FREE_E16_B };
#define FREE_M16 48
struct free_s17 {
	int a;
	char b[17];
};
union free_u17 {
	long a;
	char b[17];
};
enum free_e17 { FREE_E17_A = 17, FREE_E17_B };
#define FREE_M17 51
struct free_s18 {
	int a;
	char b[18];
};
union free_u18 {
	long a;
	char b[18];
};
enum free_e18 { FREE_E18_A = 18, FREE_E18_B };
#define FREE_M18 54
struct free_s19 {
	int a;
	char b[19];
};
union free_u19 {
	long a;
	char b[19];
};
enum free_e19 { FREE_E19_A = 19, FREE_E19_B };
#define FREE_M19 57
struct free_s20 {
	int a;
	char b[20];
};
union free_u20 {
	long a;
	char b[20];
};
enum free_e20 { FREE_E20_A = 20, FREE_E20_B };
#define FREE_M20 60
struct free_s21 {
	int a;
	char b[21];
};
union free_u21 {
	long a;
	char b[21];
};
enum free_e21 { FREE_E21_A = 21, FREE_E21_B };
#define FREE_M21 63
struct free_s22 {
	int a;
	char b[22];
};
union free_u22 {
	long a;
	char b[22];
};
enum free_e22 { FREE_E22_A = 22, FREE_E22_B };
#define FREE_M22 66
struct free_s23 {
	int a;
	char b[23];
};
union free_u23 {
	long a;
	char b[23];
};
enum free_e23 { FREE_E23_A = 23, FREE_E23_B };
#define FREE_M23 69
struct free_s24 {
	int a;
	char b[24];
};
union free_u24 {
	long a;
	char b[24];
};
enum free_e24 { FREE_E24_A = 24, FREE_E24_B };
#define FREE_M24 72
struct free_s25 {
	int a;
	char b[25];
};
union free_u25 {
	long a;
	char b[25];
};
enum free_e25 { FREE_E25_A = 25, FREE_E25_B };
#define FREE_M25 75
struct free_s26 {
	int a;
	char b[26];
};
union free_u26 {
	long a;
	char b[26];
};
enum free_e26 { FREE_E26_A = 26, FREE_E26_B };
#define FREE_M26 78
struct free_s27 {
	int a;
	char b[27];
};
union free_u27 {
	long a;
	char b[27];
};
enum free_e27 { FREE_E27_A = 27, FREE_E27_B };
#define FREE_M27 81
struct free_s28 {
	int a;
	char b[28];
};
union free_u28 {
	long a;
	char b[28];
};
enum free_e28 { FREE_E28_A = 28, FREE_E28_B };
#define FREE_M28 84
struct free_s29 {
	int a;
	char b[29];
};
union free_u29 {
	long a;
	char b[29];
};
enum free_e29 { FREE_E29_A = 29, FREE_E29_B };
#define FREE_M29 87
struct free_s30 {
	int a;
	char b[30];
};
union free_u30 {
	long a;
	char b[30];
};
enum free_e30 { FREE_E30_A = 30, FREE_E30_B };
#define FREE_M30 90
