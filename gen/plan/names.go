package plan

import (
	"go/token"
	"strings"
)

// initialisms are words that keep their own spelling in Go names.
var initialisms = wordMap("ABI AEAD AES AH CM CQ CQE CQN CRC CVLAN DCT DM DLID ECE ECN EQN ESN ESP FD GCM GID GRE GRH GUID HCA IB ICM ID IOVA IP IPv4 " +
	"IPv6 IV LID LKey MAC MKey MPLS MR MSS MTU MW ODP PCI PD PKey PSN QKey QP QPN RC RDMA RKey RNR RQ RSS RWQ SG SGE SL SLID SQ SRQ SRQN TCP TD TM " +
	"TSO UAR UC UD UDP UID UMR VLAN WC WQ WQE WQN WR WRID XRC XRCD")

func wordMap(list string) map[string]string {
	m := map[string]string{}
	for _, w := range strings.Fields(list) {
		m[strings.ToLower(w)] = w
	}
	return m
}

// camel turns a C name into an exported Go name: wr_id becomes WRID. Underscores at the start become an X, so that the
// name is exported and differs from the one without them.
func camel(c string) string {
	rest := strings.TrimLeft(c, "_")
	var b strings.Builder
	if rest != c || rest == "" || rest[0] >= '0' && rest[0] <= '9' {
		b.WriteString("X")
	}
	for w := range strings.SplitSeq(rest, "_") {
		b.WriteString(word(w))
	}
	return b.String()
}

func word(w string) string {
	if i, ok := initialisms[w]; ok {
		return i
	}
	if one, ok := strings.CutSuffix(w, "s"); ok && len(one) > 1 {
		if i, ok := initialisms[one]; ok {
			return i + "s"
		}
	}
	if bare := strings.TrimRight(w, "0123456789"); bare != w && initialisms[bare] != "" {
		return initialisms[bare] + w[len(bare):]
	}
	if w == "" {
		return ""
	}
	return strings.ToUpper(w[:1]) + w[1:]
}

// typeName is the Go name of a C type: ibv_wc becomes WC. A typedef's _t goes.
func typeName(c string, typedef bool) string {
	if typedef {
		c = strings.TrimSuffix(c, "_t")
	}
	under := len(c) - len(strings.TrimLeft(c, "_"))
	return camel(c[:under] + strings.TrimPrefix(c[under:], "ibv_"))
}

// constName is the Go name of a C constant: the same, unless Go would not export it; then an X goes before it, with an
// underscore between if it has none itself.
func constName(c string) string {
	switch {
	case token.IsExported(c):
		return c
	case strings.HasPrefix(c, "_"):
		return "X" + c
	}
	return "X_" + c
}

// isC reports whether s is a C identifier of ASCII letters. Whatever comes from a record passes this before it is printed.
func isC(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// FuncName is the Go name of a C function: ibv_reg_mr becomes RegMR.
func FuncName(c string) string { return typeName(c, false) }

// ParamName is the Go name of a C function's parameter: bad_wr becomes badWR.
func ParamName(c string) string {
	first, rest, more := strings.Cut(strings.Trim(c, "_"), "_")
	if more {
		rest = camel(rest)
	}
	return strings.ToLower(first) + rest
}
