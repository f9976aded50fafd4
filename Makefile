# ibv: 'make' alone lists the targets.

GO      ?= go
NEED    := gcc libc6-dev clang libibverbs-dev librdmacm-dev libibverbs1 librdmacm1 valgrind
CROSS   := qemu-user gcc-aarch64-linux-gnu gcc-powerpc64le-linux-gnu gcc-riscv64-linux-gnu gcc-s390x-linux-gnu
ARM64   := CC=aarch64-linux-gnu-gcc GOARCH=arm64 CGO_ENABLED=1
SEED    ?= 0
COUNT   ?= 100000
TIME    ?= 10m
KERNEL  ?= 6.1 6.12
ARGS    ?=
OUT     ?= bin

.DEFAULT_GOAL := help
.PHONY: help run test test-cgo test-arch test-kernel test-hw soak-gen soak-hot fuzz bench bench-gen generate records headers lint

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## generate from the installed verbs.h, verify it, draw two structs, live a work queue's life, play ping-pong
	@scripts/need.sh gcc libc6-dev libibverbs-dev
	@mkdir -p bin && $(GO) build -o bin/verbsgen ./cmd/verbsgen
	bin/verbsgen generate
	bin/verbsgen verify
	bin/verbsgen layout ibv_wc ibv_wq_init_attr
	$(GO) run ./examples/wq
	$(GO) run ./examples/pingpong

test: ## everything but the cross compilers; does its own set-up
	@scripts/need.sh $(NEED)
	@$(MAKE) --no-print-directory headers lint
	$(GO) test $$($(GO) list ./... | grep -v /gen/oracletest)
	$(GO) test -count=1 -skip Random ./gen/oracletest
	$(GO) test -C gen/oracletest -count=1 -run Random
	@$(MAKE) --no-print-directory test-cgo

# What has C code, or calls it. The race detector and the address sanitizer check pointers too, but allow no direct calls.
CGO    := ./internal/cverbs ./internal/softdev ./internal/direct/... ./internal/ring ./internal/beside/... ./verbs/...
# Tests that build everything anew, with instruments of their own; they run once.
BUILDS := TestHeaders|TestFuture|TestWithoutLibrary|TestSize|TestStress|TestWarnings|TestC$$

test-cgo: ## the bindings with every thunk counted; all of C under -race, -asan, checkptr and cgocheck2; and without cgo
	$(GO) test -count=1 -tags ibvcount -run 'Thunk|Counts' ./internal/cverbs
	GOEXPERIMENT=cgocheck2 $(GO) test -race -skip '$(BUILDS)' $(CGO)
	$(GO) test -asan -skip '$(BUILDS)' $(CGO)
	$(GO) test -gcflags=github.com/goverbs/ibv/...=-d=checkptr -run 'Direct|Tiers|Poll|Post|Batch' ./verbs ./verbs/kerneltest
	$(GO) test -gcflags=github.com/goverbs/ibv/...=-d=checkptr ./internal/direct
	CGO_ENABLED=0 $(GO) test ./internal/cverbs ./internal/softdev ./internal/direct/... ./verbs/...
	CGO_ENABLED=0 $(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) vet ./...

# Tests that ask the cross compilers, if IBV_CROSS is set.
ASKING := ^(TestHeaders|TestRight|TestCompile|TestSameModelOnAnyHost|TestBigEndian)$$|Cross$$

test-arch: ## the layouts against the cross compilers of arm64, ppc64le, riscv64 and s390x, and arm64's assembly in an emulator; installs them
	@scripts/need.sh $(NEED) $(CROSS)
	@$(MAKE) --no-print-directory headers
	IBV_CROSS=1 $(GO) test -count=1 -run '$(ASKING)' ./gen/load ./gen/bind ./gen/oracletest ./gen/emit
	@set -e; for a in aarch64:arm64 powerpc64le:ppc64le riscv64:riscv64 s390x:s390x; do \
		echo "CC=$${a%:*}-linux-gnu-gcc GOARCH=$${a#*:} CGO_ENABLED=1 go build ./internal/cverbs"; \
		CC=$${a%:*}-linux-gnu-gcc GOARCH=$${a#*:} CGO_ENABLED=1 $(GO) build ./internal/cverbs; done
	$(ARM64) $(GO) vet ./internal/direct/...
	$(ARM64) $(GO) test -count=1 -exec 'qemu-aarch64 -L /usr/aarch64-linux-gnu' ./internal/direct
	$(ARM64) $(GO) test -count=1 -exec 'qemu-aarch64 -L /usr/aarch64-linux-gnu' -run 'Direct|Tiers|Bias|Mutex|Turnstile' ./verbs ./verbs/kerneltest

test-kernel: ## the runtime under kernels with soft-RoCE, in QEMU, and the runner of that; KERNEL=6.1, 6.12 or a suite's; ARGS='-run X -v'
	@scripts/kernel/test.sh $(foreach k,$(KERNEL),-k $(k)) -- $(ARGS)

test-hw: ## the same on a device of this machine: DEVICE=mlx5_0
	@test -n "$(DEVICE)" || { echo "which device? make test-hw DEVICE=mlx5_0" >&2; exit 1; }
	@scripts/need.sh gcc libc6-dev libibverbs-dev libibverbs1 ibverbs-providers ibverbs-utils
	@mkdir -p bin && $(GO) build -o bin ./examples/devinfo ./examples/rcpingpong
	IBV_PROGRAMS="$(CURDIR)/bin" IBV_DEVICE="$(DEVICE)" $(GO) test -tags kernel -count=1 $(ARGS) ./verbs/kerneltest

soak-gen: ## COUNT (100,000) random aggregates against gcc; SEED repeats a run
	IBV_RANDOM=$(COUNT) IBV_SEED=$(SEED) $(GO) test -C gen/oracletest -count=1 -timeout 3h -run 'Random$$'

# Freed memory is written to, so that who still uses it is found out.
soak-hot: ## poll by every way for TIME (10m) while the runtime collects, moves stacks, profiles and signals; SEED repeats a run's choices
	MALLOC_PERTURB_=165 IBV_SOAK=$(TIME) IBV_SEED=$(SEED) $(GO) test -count=1 -v -timeout 3h -run Soak ./verbs/soaktest

fuzz: ## each fuzz target for a minute
	@set -e; for t in gen/load:FuzzLoad gen/record:FuzzRead; do \
		$(GO) test -run '^$$' -fuzz "$${t#*:}" -fuzztime 1m ./$${t%:*}; done

bench: ## the hot path beside the same loops in C, as a table; OUT=docs also renews README's picture; ARGS='-exec "chrt -r 20"'
	@scripts/need.sh gcc libc6-dev libibverbs-dev
	@mkdir -p $(OUT)
	@{ $(GO) test -run '^$$' -bench . -skip UnderLoad -benchtime 100ms -count 15 $(ARGS) ./verbs && \
		$(GO) test -run '^$$' -bench UnderLoad -benchtime 1x -count 5 ./verbs || echo FAIL; } | \
		$(GO) run ./internal/beside/table -json $(OUT)/bench.json -svg $(OUT)/bench.svg

bench-gen: ## time the generator's steps, and what is below package verbs
	$(GO) test -run '^$$' -bench . -benchtime 2s ./gen/... ./cmd/... ./internal/...

generate: ## regenerate from the records and the installed header
	$(GO) generate ./...

records: headers ## write the ABI records anew from Debian's packages
	scripts/records.sh

headers: ## fetch and unpack the headers of the recorded releases
	@scripts/headers.sh

lint: ## gofmt, vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -d . | head -n 40; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags kernel ./verbs/kerneltest ./scripts/kernel
	$(GO) tool staticcheck ./...
	$(GO) tool staticcheck -tags kernel ./verbs/kerneltest ./scripts/kernel
