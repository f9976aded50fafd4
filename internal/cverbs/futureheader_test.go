//go:build linux && cgo

package cverbs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/diff"
	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/records"
	"github.com/goverbs/ibv/internal/headers"
)

// futureHeader makes the headers of a release to come of the newest ones, and returns the folders to search for them. Everything
// that may grow has grown: structs at their end, the one that grows at its front there, enums at their end and in the middle;
// there are functions and inlines of names unknown so far.
func futureHeader(t *testing.T) []string {
	t.Helper()
	newest := headers.Releases[len(headers.Releases)-1]
	present := headers.Include(t, newest)
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "infiniband"), os.DirFS(filepath.Join(present, "infiniband"))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "infiniband", "verbs.h")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e := edits{t: t, text: string(b)}
	e.structs(growable(t))
	e.enums()
	e.functions()
	write(t, path, e.text)
	include := []string{dir, present}
	source := filepath.Join(dir, "parse.c")
	write(t, source, "#include <infiniband/verbs.h>\n")
	for _, cc := range []string{"gcc", "clang"} {
		run(t, cc, "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I"+dir, "-I"+present, source)
	}
	checkSuccessor(t, newest, include)
	return include
}

// growable returns the tags of the structs that grow at their end.
func growable(t *testing.T) []string {
	t.Helper()
	all, err := records.All()
	if err != nil {
		t.Fatal(err)
	}
	// Without a mask of valid members: their size is passed along, or they have a mask of another name.
	grow := map[string]bool{"ibv_gid_entry": true, "ibv_comp_cntr_caps": true, "ibv_wq_attr": true, "ibv_modify_cq_attr": true}
	size := map[string]model.Num{}
	for _, m := range all {
		for _, a := range m.Aggregates {
			if old, ok := size[a.Name]; ok && !old.Equal(a.Size) {
				grow[a.Name] = true
			}
			size[a.Name] = a.Size
			for _, member := range a.Flat() {
				grow[a.Name] = grow[a.Name] || member.Name == "comp_mask"
			}
		}
	}
	delete(grow, "verbs_context") // at its front
	delete(grow, "ibv_flow_attr") // what it describes follows right after it
	maps.DeleteFunc(grow, func(_ string, yes bool) bool { return !yes })
	r := slices.Sorted(maps.Keys(grow))
	if len(r) < 30 {
		t.Fatalf("only %d structs grow: %v", len(r), r)
	}
	return r
}

// checkSuccessor wants the header to be what a next release may be: an addition to the present one. That structs which have no
// comp_mask grow too, and that some are aligned more strictly, is what this test adds.
func checkSuccessor(t *testing.T, present string, include []string) {
	t.Helper()
	old, err := records.Get(present)
	if err != nil {
		t.Fatal(err)
	}
	future, err := load.Load(load.Options{Header: "infiniband/verbs.h", Include: include, CC: "gcc", Release: "999.0"})
	if err != nil {
		t.Fatal(err)
	}
	r := diff.Diff(old, future)
	for _, c := range r.Changes {
		meant := c.Kind == diff.GrownStruct || c.Kind == diff.GrownInArrays || c.Kind == diff.ChangedLayout && strings.HasPrefix(c.Old, "alignment 4")
		if c.Class == diff.Incompatible && !meant {
			t.Errorf("the made-up header is not what a next release may be: %s", r.Line(c))
		}
	}
}

// edits change a header's text. What is not found fails the test: the header is then of another form than expected.
type edits struct {
	t    *testing.T
	text string
}

func (e *edits) replace(pattern, by string, atLeast int) {
	e.t.Helper()
	re := regexp.MustCompile(pattern)
	if n := len(re.FindAllString(e.text, -1)); n < atLeast {
		e.t.Fatalf("the header has %d times %s, want %d", n, pattern, atLeast)
	}
	e.text = re.ReplaceAllString(e.text, by)
}

func (e *edits) structs(grow []string) {
	for _, name := range grow {
		e.replace(fmt.Sprintf(`(?s)(\nstruct %s \{\n.*?\n)\};`, name), "${1}\tuint64_t from_the_future;\n};", 1)
	}
	e.replace(`\nstruct verbs_context \{\n`, "${0}\tint (*from_the_future)(struct ibv_context *context);\n", 1)
}

func (e *edits) enums() {
	// The sentinel's bit gets a name, and the sentinel moves on.
	for bit := 15; bit >= 0; bit-- {
		e.replace(fmt.Sprintf(`(\w+)_RESERVED(\s*= \(?1 << )%d\b(\)?)`, bit),
			fmt.Sprintf("${1}_FROM_THE_FUTURE${2}%d${3}, ${1}_RESERVED${2}%d${3}", bit, bit+1), 0)
	}
	e.replace(`_FROM_THE_FUTURE\s*=`, "${0}", 8)
	e.replace(`(?s)(\nenum ibv_event_type \{\n.*?\w),?\n\};`, "${1}, IBV_EVENT_FROM_THE_FUTURE,\n};", 1)
	e.replace(`\benum ibv_wc_opcode \{\s*IBV_WC_SEND,`, "enum ibv_wc_opcode { IBV_WC_FROM_THE_FUTURE = 200, IBV_WC_SEND = 0,", 1)
	e.replace(`\benum ibv_qp_type \{`, "${0} IBV_QPT_FROM_THE_FUTURE = 300,", 1)
}

func (e *edits) functions() {
	declaration := "struct ibv_pd *ibv_alloc_pd(struct ibv_context *context);\n"
	if strings.Count(e.text, declaration) != 1 {
		e.t.Fatalf("the header declares ibv_alloc_pd %d times", strings.Count(e.text, declaration))
	}
	e.text = strings.Replace(e.text, declaration, declaration+`
int ibv_from_the_future(struct ibv_context *context, uint64_t *answer);

static inline int ibv_inline_from_the_future(struct ibv_context *context)
{
	struct verbs_context *vctx = verbs_get_ctx_op(context, from_the_future);
	uint64_t answer;

	return vctx ? vctx->from_the_future(context) : ibv_from_the_future(context, &answer);
}
`, 1)
	// A function becomes a macro that hides it, as happened before.
	e.replace(`(?s)\nint ibv_query_pkey\(.*?;\n`, `${0}
static inline int ___ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
{
	*pkey = 0;
	return ibv_query_pkey(context, port_num, index, pkey);
}
#define ibv_query_pkey(context, port_num, index, pkey) ___ibv_query_pkey(context, port_num, index, pkey)
`, 1)
}
