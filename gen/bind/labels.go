package bind

// labels makes the header's own declarations of exported functions, and so its inlines, refer to our stubs.
func labels(p *Package, c *code) {
	c.comment("To be included before " + p.Header + ": what that declares as exported functions are then our stubs, whatever the " +
		"functions' types, and nothing refers to the library.")
	c.line("")
	c.line("#ifndef IBVGO_LABELS_GENERATED_H")
	c.line("#define IBVGO_LABELS_GENERATED_H")
	c.line("")
	for i := range p.Verbs {
		if s := p.Verbs[i].Stub; s != nil {
			c.line("#pragma redefine_extname %s %s", p.Verbs[i].C, s.Name)
		}
	}
	c.line("")
	c.line("#endif")
}
