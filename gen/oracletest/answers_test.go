package oracletest

// An answer is what is right for one small header, written by hand: gcc's numbers on amd64 (see describe), or the line and the
// construct that a refusal must name.
type answer struct {
	file    string
	items   map[string]string
	refusal string // what a refusal must name, "2-4: word": a line of these and the word; without items, it must be refused
}

type items = map[string]string

var answers = []answer{
	{file: "packed_pragma2.h", items: items{"struct pragma2": "size 10 align 2: tag 0, count 2, kind 4, total 6"}},
	{file: "packed_and_aligned8.h", items: items{"struct packed_aligned8": "size 32 align 8: key 0, low 8, high 12, extra 16, tail 20"}},
	{file: "packed_member_aligned64.h", items: items{
		"struct packed_cacheline": "size 128 align 64: first 0, second 2, third 4, fourth 8, fifth 12, line 64"}},
	{file: "packed_unnamed_union.h", items: items{
		"struct packed_union": "size 44 align 1: id 0, 8 {where 0, word 0}, length 16, stamp 24, code 32, left 36, right 40"}},
	{file: "packed_array_of_shorts.h", items: items{"struct packed_shorts": "size 11 align 1: kind 0, parts 1, sum 7"}},
	{file: "packed_pragma1.h", items: items{"struct pragma1": "size 40 align 1: a 0, b 8, c 12, d 20, e 28, f 36"}},
	{file: "packed_inner_plain_outer.h", items: items{
		"struct tight": "size 12 align 1: at 0, len 8", "struct roomy": "size 24 align 8: head 0, next 16"}},
	{file: "packed_before_tag_after_brace.h", items: items{
		"struct packed_in_front": "size 5 align 1: c 0, i 1", "struct packed_behind": "size 5 align 1: c 0, i 1"}},
	{file: "packed_pragma_nested.h", items: items{
		"struct in_four": "size 12 align 4: c 0, l 4", "struct in_one": "size 9 align 1: c 0, l 1",
		"struct in_four_again": "size 24 align 4: c 0, l 4, inner 12", "struct in_none": "size 16 align 8: c 0, l 8"}},
	{file: "packed_aligned4_two_attributes.h", items: items{
		"struct two_attributes": "size 16 align 4: opcode 0, owner 4, flags 8, length 9, pad 11, key 12"}},

	{file: "bits18_then_byte.h", items: items{"struct bits_then_byte": "size 4 align 4: index bit 0+18, lane 3"}},
	{file: "packed_pragma1_bits.h", items: items{
		"struct packed_bits": "size 6 align 1: level bit 0+11, width bit 11+12, depth bit 23+23"}},
	{file: "bits_mixed_runs.h", items: items{
		"struct mixed_runs": "size 8 align 2: a bit 0+10, b bit 10+2, c bit 12+2, d bit 14+2, one 2, two 3, " +
			"e bit 32+10, f bit 42+4, g bit 46+2, h bit 48+4, i bit 52+3, j bit 55+1, last 7"}},
	{file: "bits_char_and_short.h", items: items{
		"struct char_and_short": "size 4 align 2: head 0, low bit 8+4, high bit 12+4, six bit 16+6, ten bit 22+10"}},
	{file: "bits_long64.h", items: items{"struct bits_long": "size 16 align 8: plain 0, one bit 32+1, all bit 64+64"}},
	{file: "bits_unnamed.h", items: items{"struct bits_holes": "size 4 align 1: a bit 0+3, b bit 5+2, c bit 16+1, last 3"}},
	{file: "bits_bool_and_enum.h", items: items{"struct bits_bool_enum": "size 4 align 4: ready bit 0+1, mode bit 1+2, rest bit 3+29"}},
	{file: "bits_in_nested_union.h", items: items{
		"struct bits_nested": "size 8 align 4: head 0, 4 {word 0, 0 {low bit 0+12, high bit 12+20}}"}},
	{file: "bit_then_flexible_pointers.h", items: items{"struct bit_then_pointers": "size 8 align 8: flag bit 0+1, slots 8"}},
	{file: "bits_in_bytes.h", items: items{"struct bits_in_bytes": "size 8 align 2: kind 0, low bit 8+3, high bit 11+5, parts 2"}},

	{file: "flexible_after_chars.h", items: items{"struct flexible_after_chars": "size 40 align 4: count 0, name 4, rest 37"}},
	{file: "zero_length_array.h", items: items{"struct zero_length": "size 4 align 4: count 0, rest 4"}},
	{file: "flexible_in_padding.h", items: items{"struct flexible_in_padding": "size 8 align 4: count 0, kind 4, rest 5"}},
	{file: "union_of_empty_arrays.h", items: items{"union empty_arrays": "size 0 align 4: bytes 0, words 0"}},
	{file: "array_of_empty_elements.h", items: items{
		"struct no_room": "size 0 align 4: words 0", "struct holds_no_room": "size 8 align 4: c 0, elements 4, d 4"}, refusal: "8-8: elements"},
	{file: "empty_struct.h", items: items{
		"struct nothing": "size 0 align 1: ", "struct around_nothing": "size 2 align 1: before 0, gap 1, after 1"}},

	{file: "enum_unsigned_32bit.h", items: items{"enum mask32": "size 4 unsigned: MASK32_NONE 0 MASK32_ALL 4294967295"}},
	{file: "enum_small.h", items: items{"enum small": "size 4 unsigned: SMALL_ZERO 0 SMALL_ONE 1 SMALL_SEVEN 7"}},
	{file: "enum_64bit.h", items: items{
		"enum wide": "size 8 unsigned: WIDE_LOW 1 WIDE_HIGH 4294967296", "struct holds_wide": "size 16 align 8: c 0, w 8"}},
	{file: "enum_negative.h", items: items{
		"enum below": "size 4 signed: BELOW_ALL -1 BELOW_NONE 0 BELOW_MIN -2147483648 BELOW_MAX 2147483647"}},
	{file: "enum_negative_and_wide.h", items: items{"enum both_ends": "size 8 signed: BOTH_LOW -1 BOTH_HIGH 2147483648"}},
	{file: "enum_packed.h", items: items{
		"enum one_byte": "size 1 unsigned: ONE_BYTE_A 1 ONE_BYTE_B 255", "struct holds_one_byte": "size 2 align 1: a 0, b 1"}, refusal: "2-5: one_byte"},
	{file: "enum_untagged.h", items: items{
		"enumerators of LINK_NONE": "size 4 unsigned: LINK_NONE 0 LINK_WIRE 1 LINK_RADIO 2", "struct link": "size 1 align 1: layer 0"}},
	{file: "enum_sign_bit64.h", items: items{"enum top_bit": "size 8 unsigned: TOP_BIT 9223372036854775808"}},
	{file: "enum_max64.h", items: items{
		"enum top_values": "size 8 unsigned: TOP_VALUE_BEFORE 18446744073709551614 TOP_VALUE 18446744073709551615"}},

	{file: "macro_int64_casts.h", items: items{
		"macro CAST_MIN": "-9223372036854775808 long", "macro CAST_MINUS_ONE": "-1 long"}},
	{file: "macro_narrow_casts.h", items: items{
		"macro NARROW_SHORT": "65535 unsigned short", "macro NARROW_FIVE": "5 unsigned int"}},
	{file: "macro_sign_bit64.h", items: items{"macro MACRO_TOP_BIT": "9223372036854775808 unsigned long long"}},
	{file: "macro_uint64_max.h", items: items{"macro MACRO_ALL_BITS": "18446744073709551615 unsigned long"}},
	{file: "macro_pointer.h", items: items{"macro MACRO_NO_ADDRESS": "none", "macro MACRO_NUMBER": "17 int"}},
	{file: "macro_names_enumerator.h", items: items{
		"macro COLOUR_FIRST": "1 enum colour", "macro COLOUR_BOTH": "2147483649 unsigned int"}},
	{file: "macro_defined_twice.h", items: items{
		"macro MACRO_SAME": "4 int", "macro MACRO_ANEW": "2 int", "macro MACRO_GONE": "none"}},
	{file: "macro_hides_function.h", items: items{
		"func hidden_call": "exported, hidden true", "func hidden_other": "inline, hidden false"}},

	{file: "int128.h", items: items{"struct holds_int128": "size 32 align 16: tag 0, big 16"}},
	{file: "long_double.h", items: items{"struct floats": "size 48 align 16: f 0, d 8, c 16, l 32"}},
	{file: "nested_struct_same_member.h", items: items{
		"struct first_holder": "size 16 align 8: a 0, inner 8 {wide 0}", "struct second_holder": "size 2 align 1: a 0, inner 1 {narrow 0}"}},
	{file: "nested_named_struct.h", items: items{
		"struct inside": "size 8 align 4: i 0, e 4", "struct outside": "size 12 align 4: c 0, member 4", "enum within": "size 4 unsigned: WITHIN_ONE 1"}},
	{file: "unnamed_unions.h", items: items{
		"struct request": "size 64 align 8: id 0, 8 {imm 0, key 0}, wr 16 {remote 0 {addr 0, rkey 8}, atomic 0 {addr 0, compare 8, swap 16, rkey 24}}, " +
			"48 {bind 0 {window 0, rkey 8}, segment 0 {hdr 0, size 8}}"}},
	{file: "narrow_member_wide_flags.h", items: items{
		"struct narrow_flags": "size 8 align 4: before 0, flags 4, after 6",
		"enum wide_flags":     "size 4 unsigned: WIDE_FLAG_FIRST 1 WIDE_FLAG_LAST 2147483648"}},
	{file: "grown_element_old.h", items: items{"struct element": "size 16 align 8: kind 0, value 8"}},
	{file: "grown_element_new.h", items: items{"struct element": "size 24 align 8: kind 0, value 8, more 16"}},
	{file: "alignas_member.h", items: items{"struct holds_alignas": "size 64 align 32: c 0, line 32"}},
	{file: "array_of_arrays.h", items: items{"struct holds_arrays": "size 72 align 8: grid 0, cells 16, calls 48, row 64"}},
	{file: "opaque_pointer.h", items: items{
		"struct hidden_inside": "opaque", "struct holds_opaque": "size 24 align 8: impl 0, next 8, cookie 16"}},
	{file: "typedef_aggregates.h", items: items{
		"typedef plain_struct_t": "size 16 align 8: c 0, l 8", "typedef plain_union_t": "size 6 align 2: c 0, s 0",
		"typedef plain_enum_t": "size 4 unsigned: PLAIN_ENUM_A 3", "struct holds_typedefs": "size 32 align 8: c 0, u 2, e 8, s 16"}},
	{file: "many_types.h", items: items{
		"struct free_s01": "size 8 align 4: a 0, b 4", "union free_u30": "size 32 align 8: a 0, b 0",
		"enum free_e07": "size 4 unsigned: FREE_E07_A 7 FREE_E07_B 8", "macro FREE_M30": "90 int"}},

	{file: "member_aligned_without_argument.h", items: items{"struct aligned_most": "size 32 align 16: c 0, i 16"}, refusal: "4-4: aligned"},
	{file: "struct_aligned_without_argument.h", items: items{"struct whole_aligned_most": "size 16 align 16: c 0"}, refusal: "2-4: aligned"},
	{file: "vector_typedef_member.h", items: items{"struct holds_vector": "size 32 align 16: i 0, v 16"}, refusal: "2-2: vector_size"},
	{file: "mode_typedef_member.h", items: items{"struct holds_mode": "size 16 align 8: i 0, d 8"}, refusal: "2-2: mode"},
	{file: "aligned_typedef_member.h", items: items{
		"struct holds_raised": "size 32 align 16: c 0, w 16", "struct holds_lowered": "size 12 align 4: i 0, w 4"}, refusal: "4-5: aligned"},
	{file: "pointer_typedef_with_packed_struct.h", items: items{
		"typedef tight_t": "size 5 align 1: c 0, i 1", "struct holds_pointer": "size 16 align 8: p 0, c 8, i 12"}, refusal: "2-5: packed"},
	{file: "enum_attribute_before_tag.h", items: items{
		"enum attribute_first": "size 1 unsigned: ATTRIBUTE_FIRST_A 1", "struct holds_attribute_first": "size 2 align 1: a 0, c 1"}, refusal: "2-2: attribute"},
	{file: "struct_bracket_attribute.h", items: items{"struct bracket_packed": "size 5 align 1: c 0, i 1"}, refusal: "2-2: attribute"},
	{file: "float16_member.h", items: items{"struct holds_half": "size 4 align 2: c 0, h 2"}, refusal: "4-4: _Float16"},
	{file: "undeclared_struct_member.h", refusal: "4-4: never_declared"},
	{file: "duplicate_members.h", refusal: "4-4: same"},
	{file: "bitint_member.h", refusal: "4-4: _BitInt"},
}
