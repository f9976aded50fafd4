// Package kerneltest has tests of package verbs that hold on any device: the same suite runs on the software device of package verbstest,
// as ordinary tests; with the tag kernel on soft-RoCE, in QEMU by make test-kernel; and on hardware by make test-hw. What only a kernel can
// show has that tag in its file. Where devices differ, the reason stands beside the case.
package kerneltest
