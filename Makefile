# deskd. `make run` starts a demo desk, `make test` runs all tests, `make help` lists all targets.

VERSION := 0.2.0
CC      ?= gcc
CXX     ?= g++
SAN     ?=
COMMA   := ,
VARIANT := $(if $(SAN),build-$(subst $(COMMA),-,$(SAN)),build)
PKGS    := libmicrohttpd sqlite3 libsodium glib-2.0 libxxhash libpq libcurl libfido2 libidn2 gmime-3.0 libqrencode gdlib libjpeg libseccomp libpcre2-8 gumbo libarchive libytnef zlib

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Werror $(if $(SAN),-Wno-format-truncation) # GCC can't analyse it in instrumented code
HARD := -fPIE -fstack-protector-strong -fstack-clash-protection $(if $(SAN),,-D_FORTIFY_SOURCE=2)
OPT  := $(if $(SAN),-O1 -fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all,-O2)
# -g1 has the lines that reports of sanitizers show, and compiles in a sixth less time than -g.
BOTH := -D_GNU_SOURCE -DDESKD_VERSION='"$(VERSION)"' $(if $(SAN),-g1,-g) $(OPT) $(WARN) $(HARD) -ffile-prefix-map=$(CURDIR)=. -Isrc -isystem $(VARIANT)/gen $(shell pkg-config --cflags $(PKGS) 2>/dev/null | sed 's/-I/-isystem /g')
CFLAGS   += -std=c17 $(BOTH) -Wstrict-prototypes -Wmissing-prototypes
CXXFLAGS += -std=c++17 $(BOTH) -Wmissing-declarations
LDFLAGS += -pie -Wl,-z,relro,-z,now $(if $(SAN),-fsanitize=$(SAN))
# AddressSanitizer keeps freed memory, 256 MiB by default. Tests that compare the memory of the server need it back.
export ASAN_OPTIONS ?= quarantine_size_mb=4
# libgd is loaded by the picture process alone (src/files/picture_child.c).
LDLIBS  += $(shell pkg-config --libs $(filter-out gdlib,$(PKGS)) 2>/dev/null) -lphonenumber -lstemmer -lwslay -lcjose -lresolv -lstdc++ -lpthread -lm

SRC := $(sort $(shell find src -name '*.c' -o -name '*.cc'))
OBJ := $(patsubst %,$(VARIANT)/%.o,$(basename $(SRC))) $(VARIANT)/gen/resources.o $(VARIANT)/gen/schema.o $(VARIANT)/gen/docs.o $(VARIANT)/gen/pages.o $(VARIANT)/gen/demo.o $(VARIANT)/gen/console.o
LIB := $(filter-out $(patsubst %.c,$(VARIANT)/%.o,$(wildcard src/main.c src/commands/*.c)),$(OBJ))
UNIT := $(patsubst tests/unit/%.c,$(VARIANT)/tests/unit/%,$(sort $(filter-out %corpora_test.c,$(wildcard tests/unit/*_test.c))))
CORPORA_TESTS := $(VARIANT)/tests/unit/corpora_test $(VARIANT)/tests/unit/bounce_corpora_test
BIN := $(if $(SAN),$(VARIANT)/deskd,deskd)
# The time that built files carry, in seconds: of the commit, or of the source archive. So the same sources give the same bytes.
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(if $(wildcard .git),$(shell git log -1 --format=%ct),$(shell stat -c %Y CHANGELOG.md)))

.DELETE_ON_ERROR:

.PHONY: all
all: $(BIN)

$(BIN): $(OBJ)
	@echo "  ld $@"
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(VARIANT)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

$(VARIANT)/%.o: %.cc
	@mkdir -p $(@D)
	@echo "  c++ $<"
	@$(CXX) $(CXXFLAGS) -MMD -MP -c -o $@ $<

$(VARIANT)/gen/schema.c: schema $(wildcard schema/*.sql) tools/embed.sh
	@mkdir -p $(@D)
	@sh tools/embed.sh db/db.h 'struct schema_file' schema_files schema schema/*.sql > $@

GUIDES := $(patsubst docs/%.md,$(VARIANT)/gen/docs/%.html,$(wildcard docs/guides/*.md))

$(VARIANT)/gen/docs/guides/%.html: docs/guides/%.md tools/guide.sh
	@mkdir -p $(@D)
	@sh tools/guide.sh $< > $@

$(VARIANT)/gen/docs.c: docs/guides docs/site $(GUIDES) $(wildcard docs/site/*) tools/embed.sh
	@mkdir -p $(@D)
	@rm -rf $(VARIANT)/gen/docs/site && cp -r docs/site $(VARIANT)/gen/docs
	@sh tools/embed.sh api/docs/site.h 'struct docs_file' docs_files $(VARIANT)/gen/docs $(GUIDES) $(VARIANT)/gen/docs/site/* > $@

# The pages have the colours of the console.
$(VARIANT)/gen/pages.c: src/pages/files $(wildcard src/pages/files/*) web/kit/tokens.css tools/embed.sh
	@rm -rf $(VARIANT)/gen/pages && mkdir -p $(VARIANT)/gen/pages && cp src/pages/files/* web/kit/tokens.css $(VARIANT)/gen/pages
	@cat web/kit/tokens.css src/pages/files/style.css > $(VARIANT)/gen/pages/style.css
	@sh tools/embed.sh pages/files.h 'struct page_file' page_files $(VARIANT)/gen/pages $(VARIANT)/gen/pages/* > $@

$(VARIANT)/gen/demo.c: src/demo/words.json tools/embed.sh
	@mkdir -p $(@D)
	@sh tools/embed.sh demo/words.h 'struct demo_text' demo_texts src/demo src/demo/words.json > $@

# The console (docs/CONSOLE.md). A source archive has the built files in web/dist, so that it builds without npm.
WEB      := $(sort $(shell find web/app web/kit web/widget web/words -type f)) web/build.mjs web/page.html
WEB_DIST := $(if $(wildcard web/dist/page.html),web/dist,build/web/dist)

web/node_modules/.package-lock.json: web/package-lock.json
	@echo "  npm web"
	@npm ci --prefix web --ignore-scripts --no-audit --no-fund --silent
	@touch $@

build/web/dist/page.html: $(WEB) web/node_modules/.package-lock.json
	@echo "  web"
	@node web/build.mjs build/web/dist

$(VARIANT)/gen/console.c: $(WEB_DIST)/page.html tools/embed_bytes.sh
	@mkdir -p $(@D)
	@sh tools/embed_bytes.sh $(WEB_DIST) > $@

.PHONY: web
web: $(WEB_DIST)/page.html ## builds the console

# The types of the API come from its own description, so a changed schema stops a console that reads it otherwise.
build/web/api-types.d.ts: $(BIN) web/node_modules/.package-lock.json
	@mkdir -p $(@D)
	@./$(BIN) openapi > build/web/openapi.json
	@web/node_modules/.bin/openapi-typescript build/web/openapi.json -o $@ > /dev/null

.PHONY: web-types
web-types: build/web/api-types.d.ts ## checks the types of the console against the description of the API
	@web/node_modules/.bin/tsc -p web
	@node web/operations.mjs build/web/openapi.json | cmp - web/app/settings/operations.ts || { echo "Run: node web/operations.mjs build/web/openapi.json > web/app/settings/operations.ts"; exit 1; }

.PHONY: web-check
web-check: web-types build/web/dist/page.html ## the same, and builds the console in another folder: the bytes must be the same
	@rm -rf build/web/other && mkdir -p build/web/other && cp -r web/app web/kit web/widget web/words web/*.* build/web/other && ln -s $(abspath web/node_modules) build/web/other/node_modules
	@node build/web/other/build.mjs build/web/other/dist && diff -r build/web/dist build/web/other/dist && echo "web: two builds have the same bytes"

RESOURCES := $(filter src/res/%.c,$(SRC))
$(VARIANT)/gen/resources.c: src/res $(RESOURCES) tools/resources.sh
	@mkdir -p $(@D)
	@sh tools/resources.sh $(RESOURCES) > $@

$(VARIANT)/gen/%.o: $(VARIANT)/gen/%.c
	@$(CC) $(CFLAGS) -Wno-overlength-strings -c -o $@ $<

# A unit test links only the objects that it needs.
$(VARIANT)/deskd.a: $(LIB)
	@rm -f $@
	@ar rcs $@ $^

$(VARIANT)/tests/unit/%: tests/unit/%.c $(VARIANT)/deskd.a
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(VARIANT)/deskd.a -lcmocka $(LDLIBS)

$(VARIANT)/tests/unit/picture_test: LDLIBS += -lgd

-include $(OBJ:.o=.d)

DATA   ?= data
LISTEN ?= 127.0.0.1:8080

.PHONY: run
run: ## installs missing packages, builds, fills a small demo desk in DATA, serves it on LISTEN
	@sh tools/setup.sh run
	@$(MAKE) --no-print-directory all
	@exec sh tools/run.sh $(DATA) $(LISTEN)

PREFIX  ?= /usr/local
DESTDIR ?=

.PHONY: install
install: deskd ## installs program, manual page, documents and systemd files below DESTDIR and PREFIX
	install -D -m 755 deskd $(DESTDIR)$(PREFIX)/bin/deskd
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/doc/deskd/docs/guides
	./deskd manual > $(DESTDIR)$(PREFIX)/share/man/man1/deskd.1
	install -m 644 README.md CHANGELOG.md SECURITY.md LICENSE $(DESTDIR)$(PREFIX)/share/doc/deskd
	install -m 644 docs/*.md $(DESTDIR)$(PREFIX)/share/doc/deskd/docs
	install -d $(DESTDIR)$(PREFIX)/share/doc/deskd/docs/tour $(DESTDIR)$(PREFIX)/share/doc/deskd/docs/console
	install -m 644 docs/tour/*.svg $(DESTDIR)$(PREFIX)/share/doc/deskd/docs/tour
	install -m 644 docs/console/*.png docs/console/*.tsv $(DESTDIR)$(PREFIX)/share/doc/deskd/docs/console
	install -m 644 docs/guides/*.md $(DESTDIR)$(PREFIX)/share/doc/deskd/docs/guides
	install -D -m 644 packaging/systemd/deskd.service $(DESTDIR)$(PREFIX)/lib/systemd/system/deskd.service
	sed -i 's,/usr/bin/deskd,$(PREFIX)/bin/deskd,' $(DESTDIR)$(PREFIX)/lib/systemd/system/deskd.service
	install -D -m 644 packaging/systemd/deskd.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/deskd.conf
	install -D -m 644 packaging/systemd/deskd.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/deskd.conf

.PHONY: dist
dist: build/deskd-$(VERSION).tar.gz ## makes the source archive of the commit in build/, with the built console

.PHONY: build/deskd-$(VERSION).tar.gz
build/deskd-$(VERSION).tar.gz: $(WEB_DIST)/page.html
	@sh tools/dist.sh deskd-$(VERSION) $(WEB_DIST) $@

.PHONY: test-dist
test-dist: dist ## builds the source archive without Node.js
	@sh tests/package/dist.sh build/deskd-$(VERSION).tar.gz $(WEB_DIST)

.PHONY: deb
deb: deskd ## builds the Debian package and that of its debug symbols in build/
	SOURCE_DATE_EPOCH=$(EPOCH) sh packaging/deb/build.sh $(VERSION) build

.PHONY: image
image: deb ## makes the OCI image in build/image and build/deskd-VERSION.oci.tar
	@sh tools/setup.sh image
	SOURCE_DATE_EPOCH=$(EPOCH) sh packaging/image/build.sh $(VERSION) build/deskd_$(VERSION)_$$(dpkg --print-architecture).deb build

.PHONY: test-image
test-image: image ## tests the configuration of the image, and serves a desk from its root file system, read-only; needs root
	sh tests/package/image.sh build/image $(VERSION)

.PHONY: sbom
sbom: ## prints the bill of materials: an SPDX 2.3 document with the libraries and the packages of the web pages
	@$(MAKE) --no-print-directory deskd >&2
	@SOURCE_DATE_EPOCH=$(EPOCH) node tools/sbom.mjs deskd $(VERSION)

.PHONY: test-package
test-package: deb tests/node_modules/.package-lock.json ## installs the package in a temporary folder, runs it, removes it; checks the bill of materials
	sh tests/package/deb.sh $(foreach name,deskd deskd-dbgsym,build/$(name)_$(VERSION)_$$(dpkg --print-architecture).deb)
	$(MAKE) --no-print-directory -s sbom >build/deskd.spdx.json
	SBOM=$(abspath build/deskd.spdx.json) DESKD=$(abspath deskd) $(NODE_TEST) $(sort $(wildcard tests/package/*.test.mjs))

.PHONY: test-reproducible
test-reproducible: web/node_modules/.package-lock.json ## builds the commit HEAD in two folders: the bytes must be the same; four minutes on two idle cores
	sh tests/package/reproducible.sh $(VERSION)

SUITE   ?= trixie
TARGETS ?= test
.PHONY: test-debian
test-debian: ## builds the commit HEAD and makes TARGETS (test) in a root file system of Debian SUITE (trixie; bookworm); needs root
	@sh tools/setup.sh image
	@sh tests/package/debian.sh $(SUITE) $(TARGETS)

.PHONY: unit
unit: $(UNIT) ## runs the C tests of modules, two programs at a time
	@printf '%s\n' $(UNIT) | xargs -P 2 -I@ sh -c 'text=$$(@ 2>&1) && echo "ok  @" || { printf "%s\nFAILED  @\n" "$$text"; exit 255; }'

CORPORA      ?= ../shared/corpora
FUZZ_SECONDS ?= 20
FUZZ         := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(sort $(wildcard tests/fuzz/*_fuzz.c)))

.PHONY: test-corpora
test-corpora: $(CORPORA_TESTS) $(BIN) tests/node_modules/.package-lock.json ## runs other parsers' test data in CORPORA, if it is there
	for program in $(CORPORA_TESTS); do CORPORA=$(CORPORA) $$program || exit 1; done
	cd tests && DESKD=$(abspath $(BIN)) CORPORA=$(abspath $(CORPORA)) $(SCRATCH) $(NODE_TEST) corpora/server.test.mjs

build/fuzz/predicate_fuzz: $(addprefix src/,core/predicates/predicate.c core/predicates/predicate_value.c core/predicates/predicate_run.c core/predicates/moment.c core/predicates/operation.c core/time/business_time.c core/time/zone.c core/predicates/definition.c core/predicates/definition_cases.c core/time/calendar.c core/time/hours.c core/words.c work/work.c)

build/fuzz/template_fuzz: $(addprefix src/,core/text/template_text.c core/text/template_html.c core/text/template_style.c core/text/template_originals.c)
build/fuzz/imap_fuzz: src/mail/imap_text.c
build/fuzz/lmtp_fuzz: $(addprefix src/mail/,lmtp_read.c lmtp_session.c)
build/fuzz/report_fuzz: $(addprefix src/,mail/report.c mail/mime.c)
build/fuzz/html_fuzz: $(addprefix src/files/,html_attributes.c html_check.c html_rules.c html_style.c html_tree.c)
build/fuzz/picture_fuzz: src/files/confined.c src/files/nursery.c
MAIL_READER := $(addprefix src/mail/,answer.c body.c charset.c header.c mime.c parts.c quote.c quote_html.c quote_words.c read_child.c read_text.c report.c tnef.c) \
	$(addprefix src/files/,confined.c file_name.c html_attributes.c html_check.c html_clean.c html_rules.c html_style.c html_tree.c nursery.c)
build/fuzz/mail_fuzz build/fuzz/answer_fuzz build/fuzz/quote_fuzz: $(MAIL_READER)
build/fuzz/scan_fuzz: src/http/scan.c
build/fuzz/authentication_fuzz: src/core/mail/authentication.c

# A fuzz target that needs more sources includes them, or is listed above.
build/fuzz/%: tests/fuzz/%.c $(wildcard src/base/*.c src/json/*.c)
	@mkdir -p $@.corpus
	clang -std=c17 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Isrc \
		$(shell pkg-config --cflags $(PKGS)) -o $@ $^ $(LDLIBS)

.PHONY: fuzz
fuzz: $(FUZZ) ## runs the fuzz targets of the parsers, FUZZ_SECONDS each; FUZZ=build/fuzz/NAME_fuzz runs one
	@set -e; for f in $(FUZZ); do echo "== $$f"; $$f -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix=build/fuzz/ $$f.corpus \
		$$(ls -d tests/fuzz/$${f##*/}.seeds 2>/dev/null) $(wildcard $(CORPORA)/json/test_parsing $(CORPORA)/multipart); done

NODE_TEST := node --test --test-reporter=$(abspath tests/reporter.mjs)
# Files of tests that run at once: more than cores, because tests also wait (for a delayed login, a lease, a drain).
AT_ONCE   ?= 4
SCRATCH   := sh $(abspath tests/scratch.sh)

HTTP_TEST := $(VARIANT)/tests/unit/http_server
HTTP_OBJ  := $(filter $(addprefix $(VARIANT)/src/,base/% json/% http/%),$(OBJ))

$(HTTP_TEST): tests/unit/http_server.c $(HTTP_OBJ)
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(HTTP_OBJ) $(LDLIBS)

# Sanitizers keep memory of their own for the bytes that the server touches, so memory can't be compared.
HTTP_TESTS := $(sort $(filter-out $(if $(SAN),%/memory.test.mjs),$(wildcard tests/http/*.test.mjs)))

.PHONY: test-http
test-http: $(HTTP_TEST) ## tests src/http over sockets: framing, slow clients, limits, drain, forms
	HTTP_SERVER=$< $(NODE_TEST) $(HTTP_TESTS)

# The calls from the API to the store that bench/recorder.h records, and functions that bench/statements.c replaces.
WRAPPED := db_start db_row db_int db_text db_ids db_exec db_exec_text db_insert change_log_finish audit_finish clock_monotonic

build/bench/statements: bench/statements.c bench/recorder.c bench/recorder.h build/src/http/spool.o build/src/http/ledger.o $(filter-out build/src/http/%,$(LIB))
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $(filter-out %.h,$^) $(LDLIBS)

build/bench/fixed: bench/fixed.c $(HTTP_OBJ)
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

build/bench/business_time build/bench/clocks build/bench/deliveries build/bench/triggers: build/bench/%: bench/%.c $(LIB)
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: bench-rules
bench-rules: deskd build/bench/business_time build/bench/clocks build/bench/deliveries build/bench/triggers ## measures business time, 1,000 triggers that do not fire, deliveries to endpoints, and SLA clocks at 1,000 and 100,000 conversations
	build/bench/business_time
	build/bench/triggers
	node bench/triggers.mjs
	build/bench/deliveries
	@set -e; for n in 1000 100000; do d=$$(mktemp -d); ./deskd demo --data $$d --conversations $$n >$$d/log 2>&1; build/bench/clocks $$d; rm -r $$d; done

.PHONY: bench-programs
bench-programs: build/bench/flood build/bench/statements build/bench/fixed build/bench/libpq build/bench/business_time build/bench/clocks build/bench/deliveries build/bench/triggers ## builds the programs of make bench

build/bench/syncs.so: bench/syncs.c
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(CFLAGS) -Wno-missing-prototypes -fPIC -shared -o $@ $<

.PHONY: bench
bench: deskd build/bench/statements build/bench/fixed build/bench/syncs.so ## measures req/s, latency and CPU next to baselines; BENCH_BIG=20000 for a short run
	node bench/run.mjs

.PHONY: bench-guard
bench-guard: deskd build/bench/statements ## counts instructions, statements and frames of the main requests, and fails if one is over bench/guard.tsv by 5 %; GUARD_UPDATE=1 writes this table, GUARD_PARTS=1 shows the share of each part, GUARD_FRAMES=1 the tables and indexes of the frames
	@node bench/guard.mjs

.PHONY: bench-guard-postgres
bench-guard-postgres: deskd build/bench/statements ## counts round trips, statements and instructions of the main requests on a temporary PostgreSQL
	@sh tests/postgres.sh node bench/guard.mjs

.PHONY: bench-walk
bench-walk: deskd build/bench/statements ## reads every GET with its arguments as three callers, and lists those over 5 ms with their plans; BENCH_SIZE=100000 for a short run
	node bench/walk.mjs

build/bench/heap.so: bench/heap.c
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(CFLAGS) -fPIC -shared -o $@ $< -lsqlite3

.PHONY: bench-memory
bench-memory: deskd build/bench/heap.so ## measures the memory of the server under a mixed load of one hour; BENCH_MINUTES=5 for a short run
	node bench/memory.mjs

.PHONY: bench-pages
bench-pages: deskd ## measures pages of the help center at 1,000 and 100,000 articles; BENCH_SIZES=1000 for a short run
	node bench/pages.mjs

.PHONY: bench-export
bench-export: deskd ## measures objects a second of export and import on both engines; BENCH_SIZE=1000 for a short run
	node bench/transfer.mjs
	PG_FSYNC=on sh tests/postgres.sh node bench/transfer.mjs

.PHONY: bench-console
bench-console: $(BIN) tests/node_modules/.package-lock.json tests/pages/node_modules/.package-lock.json ## compares bytes, requests and times of the console with its budgets; CONVERSATIONS=1000000, or DESK=folder of a demo desk, which is copied
	cd tests && BUDGETS=times DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) pages/console.budgets.test.mjs

build/bench/flood: bench/flood.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -o $@ $<

.PHONY: bench-overload
bench-overload: deskd build/bench/flood ## measures req/s, health checks and memory at ten and a hundred times the best load; BENCH_SECONDS=2 for a short run
	node bench/overload.mjs

.PHONY: bench-lmtp
bench-lmtp: deskd ## measures durable deliveries a second by LMTP and by pipe; BENCH_SECONDS=1 for a short run
	node bench/lmtp.mjs

.PHONY: bench-events
bench-events: deskd ## measures events a second by the bulk webhook, and GETs meanwhile; BENCH_SECONDS=1 for a short run
	node bench/events.mjs

.PHONY: bench-mail
bench-mail: deskd ## measures GETs while 100 mails a second arrive, and how many mails a second the desk processes
	node bench/mail.mjs

.PHONY: bench-cases
bench-cases: deskd ## measures lists, totals and single reads at 1,000 to 1,000,000 conversations; BENCH_SIZES=1000,100000 for a short run
	node bench/cases.mjs

build/bench/libpq: bench/libpq.c
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LDLIBS)

.PHONY: bench-postgres
bench-postgres: deskd build/bench/statements build/bench/libpq ## measures one desk on both engines, by one process and by two, next to pgbench with the same statements
	PG_FSYNC=on sh tests/postgres.sh node bench/postgres.mjs

.PHONY: bench-costs
bench-costs: deskd ## measures what each request of a working day costs on both engines, for `make scale`; about three minutes
	PG_FSYNC=on sh tests/postgres.sh node bench/costs.mjs

.PHONY: scale
scale: ## calculates and simulates desks of 10, 1,000 and 100,000 agents from the recorded costs (docs/SCALE.md); SCALE="50 400" for other sizes
	node bench/scale.mjs $(SCALE)

# The functions that tests/dialect/pretend.h replaces: the calls from the API to the store, and the lines about missing contents.
PRETENDED := db_start db_exec_text stmt_step stmt_end col_int col_int_given col_text col_null db_blocks password_hash api_refuse auth_guess auth_code log_kind_line
QUERIES   := $(VARIANT)/tests/dialect/queries

$(QUERIES): $(wildcard tests/dialect/*.c tests/dialect/*.h) $(VARIANT)/src/http/spool.o $(VARIANT)/src/http/ledger.o $(filter-out $(VARIANT)/src/http/%,$(LIB))
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(CFLAGS) -Wno-missing-prototypes $(LDFLAGS) $(PRETENDED:%=-Wl,--wrap=%) -o $@ $(filter-out %.h,$^) $(LDLIBS)

.PHONY: dialect
dialect: $(QUERIES) ## prepares every statement, named or composed from the tables, on SQLite and on a temporary PostgreSQL
	$(SCRATCH) sh tests/dialect/dialect.sh $<

%/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Node runs files in the order of their names. The walks of callers are the longest; as the last ones they ran alone.
API_TESTS := $(sort $(patsubst tests/%,%,$(wildcard tests/api/*.test.mjs)))

# Tests of what is decided before the store is asked: documents, heads, bodies, pictures. They add nothing on a second engine.
BEFORE_STORE := $(patsubst %,api/%.test.mjs,attachments.hostile avatar bodies crosssite edge envelope errors files.spec guides \
	harness mail.stream notices openapi pages.bytes slowreaders spellings templates.spec thumbnails tools)
# Tests of documents, of memory and of SQL add nothing with a sanitizer.
NOT_SANITIZED := $(patsubst %,api/%.test.mjs,cascades demo guides harness lockout mail.stream openapi pages.bytes permissions plans slowreaders totals)
# Many steps of the same requests. The second stage runs them on PostgreSQL without a sanitizer, which would take ten minutes.
LONG := $(patsubst %,api/%.test.mjs,access.walk.admins access.walk.agents access.walk.customers clocks.steps erasure.bytes)
# The first stage of CI runs on PostgreSQL what depends most on an engine: concurrent writes, lists, totals, search, visibility. The second
# stage runs all others there, sanitized but for LONG. So each test of the API that asks the store runs on both engines.
BOTH_STORES := $(patsubst %,api/%.test.mjs,apitokens audit autocomplete cascades cases.merge cases.races changes conversations.list \
	conversations.visibility demo files.quota idempotency identities jobs lanes lockout messages narrowing oauth.attacks oauth.clients oauth.token \
	organizations.filter permissions search search.bounds search.changes search.input search.visibility session settings story totals users.filter views webhooks webhooks.races)

.PHONY: test-api
test-api: $(BIN) $(if $(SAN),,build/bench/statements) tests/node_modules/.package-lock.json ## tests the API over HTTP: real daemon, real store, every reply checked against its schema
	cd tests && DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) --test-concurrency=$(AT_ONCE) \
		$(if $(SAN),$(filter-out $(NOT_SANITIZED),$(BEFORE_STORE)),$(API_TESTS) integrating/guide.test.mjs)

# Each connection costs PostgreSQL 20 ms in a database that is as new as a test's. Two writers and two readers in each of two
# processes still do everything side by side; the tests that are PostgreSQL's alone take the built-in numbers.
# A test that holds a lock starts programs meanwhile. On a busy machine they take longer than a write may wait by default (30 s).
ON_POSTGRES := cd tests && DESKD_STATEMENT_TIMEOUT=300000 DESKD=$(abspath $(BIN)) $(SCRATCH) sh postgres.sh sh -ec
TWO_PROCESSES := DESKD_WORKERS=2 DESKD_WRITERS=2 PROCESSES=2 $(NODE_TEST) --test-concurrency=$(AT_ONCE)

.PHONY: test-postgres
test-postgres: $(BIN) $(VARIANT)/tests/unit/predicate_test $(VARIANT)/tests/unit/view_test $(VARIANT)/tests/unit/migration_test $(VARIANT)/tests/unit/move_test tests/node_modules/.package-lock.json ## tests what depends on an engine with two processes on a temporary PostgreSQL, and features of PostgreSQL only
	$(ON_POSTGRES) ' \
		$(abspath $(VARIANT)/tests/unit/migration_test); \
		$(abspath $(VARIANT)/tests/unit/move_test); \
		$(abspath $(VARIANT)/tests/unit/predicate_test); \
		$(abspath $(VARIANT)/tests/unit/view_test); \
		$(TWO_PROCESSES) $(BOTH_STORES); \
		$(NODE_TEST) --test-concurrency=$(AT_ONCE) $(sort $(patsubst tests/%,%,$(wildcard tests/postgres/*.test.mjs)))'

.PHONY: test-api-postgres
test-api-postgres: $(BIN) tests/node_modules/.package-lock.json ## tests the API with two processes on a temporary PostgreSQL; sanitized, without what test-postgres runs
	$(ON_POSTGRES) '$(TWO_PROCESSES) $(filter-out $(BEFORE_STORE) $(if $(SAN),$(LONG) $(filter $(NOT_SANITIZED),$(BOTH_STORES))),$(API_TESTS))'

.PHONY: test-long
test-long: $(BIN) tests/node_modules/.package-lock.json ## tests with many steps (each route as each caller, clocks, erasure) with two processes on a temporary PostgreSQL
	$(ON_POSTGRES) '$(TWO_PROCESSES) $(LONG)'

RUNS ?= 1
.PHONY: test-cluster
test-cluster: $(BIN) tests/node_modules/.package-lock.json ## takes servers away from a cluster of three PostgreSQL under Patroni, RUNS times; installs patroni and etcd
	@sh tools/setup.sh cluster
	cd tests && for run in $$(seq $(RUNS)); do DESKD=$(abspath $(BIN)) $(SCRATCH) sh cluster/run.sh $(NODE_TEST) cluster/failover.test.mjs || exit 1; done

CUT_SECONDS ?= 300
.PHONY: test-cuts
test-cuts: $(BIN) tests/node_modules/.package-lock.json ## cuts realtime connections at random for CUT_SECONDS on each engine, with two processes on PostgreSQL
	cd tests && CUT_SECONDS=$(CUT_SECONDS) DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) api/realtime.cuts.test.mjs
	$(ON_POSTGRES) 'CUT_SECONDS=$(CUT_SECONDS) $(TWO_PROCESSES) api/realtime.cuts.test.mjs'

.PHONY: test-openapi
test-openapi: $(BIN) tests/node_modules/.package-lock.json tests/linters/node_modules/.package-lock.json ## runs two linters and generated, strictly compiled clients on the OpenAPI document, also that of INTEGRATING.md
	cd tests && DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) linters/openapi.test.mjs integrating/typescript.test.mjs

# s3rver needs a cipher that OpenSSL 3 has only on request.
.PHONY: test-objectstore
test-objectstore: $(BIN) tests/node_modules/.package-lock.json tests/objectstore/node_modules/.package-lock.json ## tests files in a bucket of an object store, with faults, on both engines
	cd tests && NODE_OPTIONS=--openssl-legacy-provider DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) objectstore/objectstore.test.mjs
	$(ON_POSTGRES) 'NODE_OPTIONS=--openssl-legacy-provider $(TWO_PROCESSES) objectstore/objectstore.test.mjs'

.PHONY: test-monitoring
test-monitoring: $(BIN) tests/node_modules/.package-lock.json ## checks metrics, alerts and the configuration in docs/monitoring with promtool
	cd tests && DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) linters/monitoring.test.mjs

.PHONY: pictures
pictures: $(BIN) tests/node_modules/.package-lock.json tests/pages/node_modules/.package-lock.json ## makes the pictures in docs/console and docs/helpcenter
	cd tests && PICTURES=$(abspath docs/console) DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) pages/console.pictures.test.mjs
	cd tests && PICTURES=$(abspath docs/helpcenter) DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) pages/pages.pictures.test.mjs

.PHONY: video
video: $(BIN) tests/node_modules/.package-lock.json tests/pages/node_modules/.package-lock.json ## makes build/first-run.webm, a video of the first run; needs ffmpeg
	cd tests && VIDEO=$(abspath build/first-run.webm) DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) --test-name-pattern='second agent' pages/console.first.test.mjs

.PHONY: test-pages
test-pages: $(BIN) tests/node_modules/.package-lock.json tests/pages/node_modules/.package-lock.json ## tests the pages in Chromium, and the main job in Firefox: accessibility at three widths, keyboard; SHOTS=folder keeps screenshots
	cd tests && DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) $(sort $(patsubst tests/%,%,$(wildcard tests/pages/*.test.mjs)))

.PHONY: test-job
test-job: $(BIN) tests/node_modules/.package-lock.json tests/pages/node_modules/.package-lock.json ## tests the main job in Chromium, from the customer's form to the rating; ANSWERS=200 for more answers at the same moment
	cd tests && DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) pages/console.job.test.mjs

$(VARIANT)/tests/fault/%.so: tests/fault/%.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -fPIC -shared -o $@ $<

.PHONY: fault-programs
fault-programs: $(BIN) $(patsubst %,$(VARIANT)/tests/fault/%.so,eio slow names unsynced)

.PHONY: test-fault
test-fault: fault-programs tests/node_modules/.package-lock.json ## tests SIGKILL, full and failing disks, the order of system calls, drain
	cd tests && DESKD=$(abspath $(BIN)) $(NODE_TEST) $(sort $(patsubst tests/%,%,$(wildcard tests/fault/*.test.mjs)))

.PHONY: test-backup
test-backup: $(BIN) tests/node_modules/.package-lock.json tests/backup/node_modules/.package-lock.json ## restores a desk from continuous copies by Litestream, and from base backups of PostgreSQL
	cd tests && DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) backup/litestream.test.mjs
	$(ON_POSTGRES) '$(NODE_TEST) backup/postgres.test.mjs'

.PHONY: test-mail
test-mail: $(BIN) tests/node_modules/.package-lock.json ## tests with real mail servers (Postfix, Dovecot, swaks) that run in temporary folders; IMAP also on PostgreSQL
	cd tests && DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) --test-concurrency=2 $(sort $(patsubst tests/%,%,$(wildcard tests/mail-servers/*.test.mjs)))
	$(ON_POSTGRES) '$(TWO_PROCESSES) mail-servers/imap.test.mjs'

.PHONY: programs
programs: $(BIN) $(UNIT) $(CORPORA_TESTS) $(QUERIES) $(HTTP_TEST) ## builds what the tests run

.PHONY: test
test: ## installs missing packages, builds, runs all tests
	@sh tools/setup.sh test
	@$(MAKE) --no-print-directory -j2 programs bench-programs fault-programs tests/node_modules/.package-lock.json
	@MAKE='$(MAKE)' sh tools/side_by_side.sh layers test-api test-postgres unit test-corpora dialect test-http test-job test-package test-fault

.PHONY: test-deep
test-deep: ## runs the second stage of CI: format, linters of the OpenAPI document, pages, mail servers, sanitizers, short fuzzing, continuous copies, costs of the main requests
	@sh tools/setup.sh deep
	@$(MAKE) --no-print-directory -j2 $(BIN) build/bench/statements tests/node_modules/.package-lock.json
	@MAKE='$(MAKE)' FIRST=test-pages sh tools/side_by_side.sh format-check test-pages test-addresses test-races test-long test-mail test-openapi test-analyzer test-fuzz test-sequence web-check test-dist test-monitoring test-objectstore test-backup drawings-check bench-guard

.PHONY: test-addresses
test-addresses: ## runs unit, HTTP and API tests under AddressSanitizer and UBSan
	@$(MAKE) --no-print-directory -j2 SAN=address,undefined programs
	@$(MAKE) --no-print-directory SAN=address,undefined unit test-http test-api test-api-postgres

.PHONY: test-races
test-races: ## runs the tests of threads under ThreadSanitizer
	@$(MAKE) --no-print-directory -j2 SAN=thread threaded-programs
	@$(MAKE) --no-print-directory SAN=thread UNIT='$(THREADED_UNIT:%=build-thread/tests/unit/%_test)' unit test-http test-threads

.PHONY: test-fuzz
test-fuzz: ## runs each fuzz target for three seconds
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=3

# What several threads do at once: writers and readers, the pool, jobs, uploads, lock-outs, the outbox, rules, the sender, the hub
# and the wire of realtime.
THREADED_UNIT := db db_fault db_schema db_snapshot pool job change log
THREADED := $(addprefix api/,changes lanes lockout jobs files.quota idempotency messages outgoing realtime realtime.counts realtime.cuts realtime.limits realtime.presence session triggers.run)

.PHONY: threaded-programs
threaded-programs: $(BIN) $(HTTP_TEST) $(THREADED_UNIT:%=$(VARIANT)/tests/unit/%_test)

.PHONY: test-threads
test-threads: $(BIN) tests/node_modules/.package-lock.json ## runs the part of the API tests that does many things at once
	cd tests && DESKD=$(abspath $(BIN)) $(SCRATCH) $(NODE_TEST) --test-concurrency=$(AT_ONCE) $(THREADED:=.test.mjs)

SINCE   ?=
MUTANTS ?= 60
SEED    ?= 1
IN      ?= src
STORE   ?=

.PHONY: mutants
mutants: $(BIN) tests/node_modules/.package-lock.json ## changes MUTANTS lines of IN that differ from SINCE, one at a time, and counts how many changes the tests catch; STORE=postgres for lines that differ by engine; IN=FILE:LINE for every change of a line
	DESKD_STATEMENT_TIMEOUT=300000 nice -n 10 sh tests/scratch.sh $(STORE:%=sh tests/%.sh) node tests/mutants/run.mjs $(if $(SINCE),--since $(SINCE)) --in $(IN) --count $(MUTANTS) --seed $(SEED)

REACHING := build-reached
.PHONY: mutants-reach
mutants-reach: tests/node_modules/.package-lock.json ## finds the tests of the API that run each line, for the choice of tests by `make mutants`: a quarter of an hour
	@mkdir -p $(REACHING)
	$(CC) -O1 -fPIE -c -o $(REACHING)/reached.o tests/mutants/reached.c
	LDFLAGS=$(abspath $(REACHING)/reached.o) $(MAKE) VARIANT=$(REACHING) BIN=$(REACHING)/deskd HARD=-fPIE WARN=-w OPT='-O1 -fsanitize-coverage=trace-pc' $(REACHING)/deskd
	DESKD_STATEMENT_TIMEOUT=300000 nice -n 10 sh tests/scratch.sh node tests/mutants/reach.mjs $(abspath $(REACHING)/deskd) build/reached.json

.PHONY: test-analyzer
test-analyzer: $(BIN) ## finds defects with clang's static analyzer; tools/analyze.txt has the accepted findings
	@sh tools/analyze.sh -std=c17 -D_GNU_SOURCE -DDESKD_VERSION='"$(VERSION)"' -Isrc -isystem $(VARIANT)/gen $(shell pkg-config --cflags $(PKGS) | sed 's/-I/-isystem /g')

# GCC's -Wsequence-point does not look into initialisers.
.PHONY: test-sequence
test-sequence: $(BIN) ## finds reads and changes of a variable without an order between them, with clang
	@find src -name '*.c' | sort | xargs -n 16 clang -std=c17 -D_GNU_SOURCE -DDESKD_VERSION='"$(VERSION)"' -Wno-everything -Wunsequenced -Werror=unsequenced \
		-fsyntax-only -Isrc -isystem $(VARIANT)/gen $(shell pkg-config --cflags $(PKGS) | sed 's/-I/-isystem /g')

.PHONY: layers
layers: $(OBJ) ## includes and calls of src/ go in one direction, and each function has a name of its own
	@BUILD=$(VARIANT) sh tools/layers.sh
	sh tools/names.sh
	sh tools/mentions.sh

FORMATTED = $(shell git ls-files '*.c' '*.h' '*.cc')

.PHONY: format format-check
format: ## formats C and C++ by .clang-format
	@clang-format -i $(FORMATTED)

format-check: ## checks that C and C++ follow .clang-format (version 14, of Debian 12)
	@clang-format --dry-run -Werror $(FORMATTED) && echo "format: $(words $(FORMATTED)) files follow .clang-format"

TOUR := $(wildcard docs/tour/*.dot)

.PHONY: drawings drawings-check
drawings: ## draws the pictures of docs/TOUR.md from docs/tour/*.dot
	@for f in $(TOUR); do dot -Tsvg $$f -o $${f%.dot}.svg; done

# Texts and arrows are compared, not places: these depend on the fonts of the machine.
DRAWN := sed -n 's,.*<\(title\|text\)[^>]*>\(.*\)</.*,\2,p'

drawings-check: ## checks that the pictures of docs/TOUR.md are those of docs/tour/*.dot
	@for f in $(TOUR); do [ "$$(dot -Tsvg $$f | $(DRAWN) | sort)" = "$$($(DRAWN) $${f%.dot}.svg | sort)" ] \
		|| { echo "drawings: $$f has changed. Run make drawings."; exit 1; }; done
	@echo "drawings: $(words $(TOUR)) are current"

.PHONY: help
help: ## prints this list
	@grep -hE '^[a-z_-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

.PHONY: clean
clean: ## removes all built files
	rm -rf build build-* deskd
