package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// span spells two differing numbers: plain ones, or those of the architectures on which they differ.
func span(old, new model.Num) (o, n string) {
	if old.By == nil && new.By == nil {
		return fmt.Sprint(old.V), fmt.Sprint(new.V)
	}
	var archs []string
	for _, arch := range model.Archs {
		if old.At(arch) != new.At(arch) {
			archs = append(archs, arch)
		}
	}
	return on(old, archs), on(new, archs)
}

// num spells one number.
func num(n model.Num) string {
	if n.By == nil {
		return fmt.Sprint(n.V)
	}
	return on(n, model.Archs)
}

// on spells n for some architectures: 344 on amd64 riscv64, 352 on arm64.
func on(n model.Num, archs []string) string {
	var vals []int64
	by := map[int64][]string{}
	for _, arch := range archs {
		v := n.At(arch)
		if !slices.Contains(vals, v) {
			vals = append(vals, v)
		}
		by[v] = append(by[v], arch)
	}
	var parts []string
	for _, v := range vals {
		parts = append(parts, fmt.Sprintf("%d on %s", v, strings.Join(by[v], " ")))
	}
	return strings.Join(parts, ", ")
}

// sign tells how n compares with 0: 1 or -1 if it is so on an architecture, where -1 prevails.
func sign(n model.Num) int {
	s := 0
	for _, arch := range model.Archs {
		switch v := n.At(arch); {
		case v < 0:
			return -1
		case v > 0:
			s = 1
		}
	}
	return s
}
