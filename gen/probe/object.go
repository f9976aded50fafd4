package probe

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// machines are the ELF names of the architectures.
var machines = map[string]struct {
	machine elf.Machine
	order   elf.Data
}{
	"amd64": {elf.EM_X86_64, elf.ELFDATA2LSB}, "arm64": {elf.EM_AARCH64, elf.ELFDATA2LSB}, "ppc64le": {elf.EM_PPC64, elf.ELFDATA2LSB},
	"riscv64": {elf.EM_RISCV, elf.ELFDATA2LSB}, "s390x": {elf.EM_S390, elf.ELFDATA2MSB},
}

// compare reads the answers to items from an object file.
func compare(obj []byte, arch string, items []item) ([]Mismatch, error) {
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		return nil, fmt.Errorf("reading the compiler's object file: %w", err)
	}
	if want, ok := machines[arch]; !ok || f.Class != elf.ELFCLASS64 || f.Machine != want.machine || f.Data != want.order {
		return nil, fmt.Errorf("the compiler makes code for %v (%v, %v), not for %s", f.Machine, f.Class, f.Data, arch)
	}
	data, err := section(f, numbers)
	if err != nil {
		return nil, err
	}
	var found []Mismatch
	for i := range items {
		it := &items[i]
		got, ok := "", false
		if it.bits != nil {
			object, err := section(f, fmt.Sprint(bitsOf, i))
			if err != nil {
				return nil, err
			}
			got = spanOf(object, f.ByteOrder == binary.BigEndian)
			ok = got == it.wanted()
		} else {
			if len(data) < 16 {
				return nil, fmt.Errorf("the compiler's object file is cut short")
			}
			v := value(f.ByteOrder.Uint64(data), f.ByteOrder.Uint64(data[8:]) != 0)
			data = data[16:]
			got, ok = v.String(), v == it.want
		}
		if !ok {
			found = append(found, Mismatch{it.text, it.pos, it.wanted(), got})
		}
	}
	return found, nil
}

func section(f *elf.File, name string) ([]byte, error) {
	s := f.Section(name)
	if s == nil {
		return nil, fmt.Errorf("the compiler's object file has no section %s", name)
	}
	return s.Data()
}

func value(bits uint64, negative bool) model.Value {
	if negative {
		return model.Int(int64(bits))
	}
	return model.Uint(bits)
}

// spanOf describes the bits that are set, counted in the order in which the machine fills them.
func spanOf(data []byte, bigEndian bool) string {
	var runs []string
	start, n := int64(0), int64(len(data))*8
	for pos := int64(0); pos <= n; pos++ {
		if pos < n && bit(data, pos, bigEndian) {
			continue
		}
		if pos > start {
			runs = append(runs, span(start, pos-start))
		}
		start = pos + 1
	}
	if len(runs) == 0 {
		return "no bits"
	}
	return strings.Join(runs, " and ")
}

func bit(data []byte, pos int64, bigEndian bool) bool {
	b, i := data[pos/8], uint(pos%8)
	if bigEndian {
		i = 7 - i
	}
	return b>>i&1 != 0
}
