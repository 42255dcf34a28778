# Builds, checks and runs everything.  GNU make; `make` needs no root.
#
#   make            build/adsd, build/adsctl and build/ngx_http_ads_module.so
#   make setup      installs the Debian packages that building needs
#   make demo       the whole service on real products, in the foreground
#   make test       every test under one prove
#   make test-long  the fault scripts at their full length and rate, and what
#                   tests find of the bugs in t/mutants/
#   make fuzz T=30  every fuzz target for 30 seconds, build-fuzz/
#   make lint       who includes whom, layout, sizes, scripts
#   make lint-deep  that, and what clang-tidy, gcc -fanalyzer and cppcheck find
#   make dashboard  the committed files of the dashboard; needs node and npm
#   make bench      the measurements under bench/
#   make bench-relevance PRODUCTS= QUERIES= LABELS= [RUN=]
#                   NDCG of the match on a labelled set
#   make bench-asks [PRODUCTS=] [ASKS=] [ANSWERS=]
#                   answers to natural requests
#   make install    with DESTDIR and PREFIX
#
#   NGINX_SRC=dir   an unpacked nginx source tree instead of Debian's nginx-dev;
#                   the tests then run on that nginx
#   NGINX_STATIC=1  with NGINX_SRC: build/nginx with the module inside
#   SANITIZE=1      all with ASan, UBSan and LSan, nginx too where its source
#                   can be had, build-san/; SANITIZE=thread: adsd with TSan
#
# Sources are found by wildcard: a new file needs no line here.

MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:

CC := $(if $(filter default,$(origin CC)),cc,$(CC))
DEBIAN_NGINX := /usr/share/nginx/src
NGINX_OPTS ?= --with-compat --with-threads --with-http_ssl_module \
    --with-http_v2_module --with-http_realip_module \
    --with-http_stub_status_module
PREFIX ?= /usr
MODULES_DIR ?= $(PREFIX)/lib/nginx/modules
JOBS ?= $(shell nproc)

# tests wait half of their time: two for each processor
TEST_JOBS ?= $(shell expr 2 '*' $$(nproc))

# ---- flags -----------------------------------------------------------------

hardening := -D_FORTIFY_SOURCE=3 -fstack-protector-strong \
    -fstack-clash-protection
ifeq ($(shell uname -m),x86_64)
hardening += -fcf-protection
endif
hardening_link := -Wl,-z,relro -Wl,-z,now

ifeq ($(SANITIZE),fuzz)
CC := clang
build := build-fuzz
tune := -O1 -fno-omit-frame-pointer \
    -fsanitize=fuzzer-no-link,address,undefined \
    -fno-sanitize-recover=undefined
tune_link := -fsanitize=fuzzer,address,undefined
else ifeq ($(SANITIZE),thread)
CC := clang
build := build-tsan
tune := -O1 -fno-omit-frame-pointer -fsanitize=thread
tune_link := -fsanitize=thread
else ifdef SANITIZE
# instrumented code confuses gcc's analysis: warnings are the plain build's
build := build-san
tune := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
    -fno-sanitize-recover=undefined -Wno-error
tune_link := -fsanitize=address,undefined
else
build := build
tune := -O2 $(hardening)
tune_link := $(hardening_link)
endif

# with sanitizers nginx is built of the source that tools/nginx-source has got;
# the module inside, so that leaks have names.  Not asked of nginx itself: that
# it copies nothing from NULL, adds nothing to NULL and stores nothing unaligned.
ifneq ($(filter build-san build-fuzz,$(build)),)
san_nginx := $(wildcard build-san/nginx-src)
endif
ifneq ($(san_nginx),)
NGINX_SRC ?= $(san_nginx)
NGINX_STATIC ?= 1
NGINX_OPTS += $(if $(filter build-san,$(build)),--with-debug)
module_cflags := -g -std=gnu11 $(tune) \
    -fno-sanitize=nonnull-attribute,pointer-overflow \
    -DNGX_HAVE_NONALIGNED=0 -DNGX_DEBUG_PALLOC=1 -DNGX_DEBUG_MALLOC=1
module_ldflags := -fsanitize=address,undefined
ngx_dir := $(build)/ngx
endif

NGINX_SRC ?= $(DEBIAN_NGINX)
ngx_dir ?= build/ngx
ngx_out := $(patsubst %/ngx,%,$(ngx_dir))

ads_cflags := -std=gnu11 -g -fPIE -Wall -Wextra -Werror $(tune) -pthread \
    -I. -Icore -Iadsd $(shell pg_config --includedir 2>/dev/null | sed 's/^/-I/')
# our json_null and json_string are not to stand for jansson's inside of it
ads_ldflags := -pie -pthread $(tune_link) -Wl,--as-needed \
    -Wl,--exclude-libs,libadsd.a
core_libs := -lsodium -lutf8proc -lstemmer -lm
adsd_libs := $(core_libs) -lpq -ljansson -lexpat -lz -lzstd -lcurl -lssl -lcrypto

# nginx's own -W is -Wextra; its callbacks have parameters they do not use
# nobody replaces the module's functions: its calls of its own are direct
module_cflags ?= -g -O2 -std=gnu11 -fPIC -fno-semantic-interposition -fno-plt \
    $(hardening)
module_ldflags ?= $(hardening_link) -fPIC -Wl,-Bsymbolic-functions

# ---- sources ---------------------------------------------------------------

core_src := $(sort $(wildcard core/*.c))
adsd_src := $(sort $(wildcard adsd/*.c adsd/*/*.c))
module_src := $(sort $(wildcard ngx_ads_module/*.c))
headers := $(sort $(wildcard core/*.h ngx_ads_module/*.h))
unit_src := $(sort $(wildcard t/unit/*.c))

core_obj := $(core_src:%.c=$(build)/o/%.o)
adsd_obj := $(adsd_src:%.c=$(build)/o/%.o)
unit_tests := $(unit_src:t/unit/%.c=$(build)/t/%.t)

module := $(ngx_out)/$(if $(NGINX_STATIC),nginx,ngx_http_ads_module.so)

# nginx-dev has no .c files: its tests run on Debian's own nginx
test_nginx := $(if $(filter-out $(DEBIAN_NGINX),$(NGINX_SRC)),$(ngx_out)/nginx)

# ---- programs --------------------------------------------------------------

.PHONY: all
all: adsd $(module) $(build)/errors.html

.PHONY: adsd
adsd: $(build)/adsd $(build)/adsctl

# the page that the "type" of an error leads to
$(build)/errors.html: docs/errors.md tools/errors_page
	@mkdir -p $(@D) && tools/errors_page < $< > $@.new && mv $@.new $@

$(build)/libadscore.a: $(core_obj)
	@rm -f $@ && ar rcsD $@ $^

# two folders may have a file of the same name: q, for r would keep only one
$(build)/libadsd.a: $(filter-out $(build)/o/adsd/main.o,$(adsd_obj))
	@rm -f $@ && ar qcsD $@ $^

$(build)/adsd: $(build)/o/adsd/main.o $(build)/libadsd.a $(build)/libadscore.a
	@echo "  LINK $@"
	@$(CC) $(ads_ldflags) $(LDFLAGS) -o $@ $^ $(adsd_libs)

$(build)/adsctl: $(build)/adsd
	@ln -sf adsd $@

$(build)/o/%.o: %.c $(build)/flags
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(ads_cflags) $(CFLAGS) -MMD -MP -c -o $@ $<

$(build)/o/adsd/auth/common.o: data/passwords.txt

# rewritten only when its text changes, so that new flags rebuild everything
.PHONY: always
$(build)/flags: always
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>&1)" = '$(CC) $(ads_cflags) $(CFLAGS)' ] \
	|| echo '$(CC) $(ads_cflags) $(CFLAGS)' > $@

# ---- tools and measurements: build/relevance, build/match, ... -------------

tool_src := tools/intent_score.c tools/intent_train.c tools/guard_train.c \
    tools/relevance.c \
    tools/wish_train.c tools/fit_train.c tools/kind_train.c \
    tools/answers.c $(wildcard bench/*.c)
tools := $(patsubst %.c,$(build)/%,$(notdir $(tool_src)))

.PHONY: tools
tools: $(tools)

vpath %.c tools bench

$(tools): $(build)/%: %.c $(build)/libadsd.a $(build)/libadscore.a $(build)/flags
	@echo "  TOOL $<"
	@$(CC) $(ads_cflags) $(CFLAGS) -MMD -MP $(ads_ldflags) -o $@ \
	$(filter %.c,$^) $(filter %.a,$^) $(adsd_libs)

$(build)/intent_train $(build)/guard_train $(build)/wish_train: \
    tools/intent_lines.c tools/intent_folds.c
$(build)/intent_train $(build)/guard_train: tools/intent_model.c tools/linear.c
$(build)/answers $(build)/worst: tools/shop.c
$(build)/match: tools/grow.c

# ---- the nginx module ------------------------------------------------------
# nginx's configure runs again only when `config`, the list of files, the
# flags or nginx itself change; headers are dependencies inside `config`.

ngx_inputs = $(CC) $(module_cflags) $(module_ldflags) $(NGINX_SRC) \
    $(NGINX_STATIC) $(NGINX_OPTS) $(module_src) $(core_src) $(headers) \
    $(shell cksum $(NGINX_SRC)/src/core/nginx.h 2>/dev/null) \
    $(shell cksum $(NGINX_SRC)/conf_flags 2>/dev/null)

$(ngx_dir).inputs: always
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>&1)" = '$(strip $(ngx_inputs))' ] \
	|| echo '$(strip $(ngx_inputs))' > $@

$(ngx_dir)/Makefile: config tools/configure-nginx $(ngx_dir).inputs
	@echo "  CONF nginx in $(NGINX_SRC)"
	@CC='$(CC)' CFLAGS='$(module_cflags)' LDFLAGS='$(module_ldflags)' \
	NGINX_OPTS='$(NGINX_OPTS)' NGINX_STATIC='$(NGINX_STATIC)' \
	tools/configure-nginx $(NGINX_SRC) $(ngx_dir)

$(sort $(module) $(test_nginx)): $(ngx_dir)/Makefile $(module_src) $(core_src) \
    $(headers)
	@echo "  MAKE $@"
	@$(MAKE) -s -C $(ngx_dir)/tree -f ../Makefile \
	$(if $(filter %.so,$@),modules,binary)
	@cp $(ngx_dir)/$(@F) $@.new && mv $@.new $@

# ---- tests -----------------------------------------------------------------
# a test of core (ads_*) links core alone, and jansson, which reads vectors

link_unit = @mkdir -p $(@D) && echo "  TEST $<" \
    && $(CC) $(ads_cflags) $(CFLAGS) -MMD -MP $(ads_ldflags) -o $@ $< \
    $(filter tools/%.c,$^) $(filter %.a,$^)

$(build)/t/ads_%.t: t/unit/ads_%.c $(build)/libadscore.a $(build)/flags
	$(link_unit) -lcmocka -ljansson $(core_libs)

$(build)/t/%.t: t/unit/%.c $(build)/libadsd.a $(build)/libadscore.a $(build)/flags
	$(link_unit) -lcmocka $(adsd_libs)

$(build)/t/index_pruning.t: tools/shop.c

.PHONY: unit
unit: $(unit_tests)

# TESTS="t/http/edge/click.t build/t/ads_json.t" runs only these, TESTS=t/http/edge
# a folder; which files are in which suite, their heads say (tools/tests)
TESTS ?= $(shell tools/tests $(if $(filter build-tsan,$(build)),tsan,all) $(build))

.PHONY: test
test:
	@tools/setup $(if $(SANITIZE),sanitize,test)
	@$(if $(filter build-san,$(build)),tools/nginx-source $(build)/nginx-src)
	@$(MAKE) -j$(JOBS) build-tests
	@$(MAKE) run-tests

.PHONY: build-tests
build-tests: all unit tools $(test_nginx)

# PostgreSQL's files of each test lie in memory where there is enough of it;
# programs that tests build themselves take ADS_CFLAGS
memory = $(shell df -m --output=avail /dev/shm 2>/dev/null \
    | awk '$$1 + 0 > 4096 { print "/dev/shm" }')

.PHONY: run-tests
run-tests:
	@CMOCKA_MESSAGE_OUTPUT=TAP ADS_BUILD=$(build) ADS_NGINX=$(test_nginx) \
	ADS_MEMORY='$(memory)' \
	CC='$(CC)' ADS_CFLAGS='$(filter -fsanitize=%,$(tune_link))' \
	prove --timer -j$(TEST_JOBS) $(TESTS)

# ADS_SEED=n repeats a run; TESTS names fewer
long_tests = $(shell tools/tests long $(build))
.PHONY: test-long
test-long:
	@tools/setup test
	@$(MAKE) -j$(JOBS) all tools $(test_nginx) \
	$(filter $(build)/%,$(long_tests))
	@CMOCKA_MESSAGE_OUTPUT=TAP ADS_LONG=1 ADS_BUILD=$(build) \
	ADS_NGINX=$(test_nginx) \
	prove -v $(if $(filter file,$(origin TESTS)),$(long_tests),$(TESTS))
	@$(if $(filter file,$(origin TESTS)),tools/mutate)

.PHONY: setup
setup:
	@tools/setup

.PHONY: lint
lint:
	@tools/lint

.PHONY: lint-deep
lint-deep: lint
	@tools/setup lint
	@$(MAKE) $(ngx_dir)/Makefile
	@tools/lint-deep

# what of docs/ is made of other files
.PHONY: docs
docs:
	tools/pictures
	tools/specification

# relevance of the match on a labelled set: files as docs/relevance.md has them
.PHONY: bench-relevance
bench-relevance: $(build)/relevance
	@bench/relevance '$(PRODUCTS)' '$(QUERIES)' '$(LABELS)' '$(RUN)'

# natural requests over the demo catalogue, or over PRODUCTS
.PHONY: bench-asks
bench-asks: $(build)/answers
	@bench/asks '$(PRODUCTS)' '$(ASKS)' '$(ANSWERS)'

.PHONY: bench
bench:
	@tools/setup bench
	@$(MAKE) -j$(JOBS) all tools
	@bench/run

# ---- fuzzing: build-fuzz/fuzz/<name> of t/fuzz/<name>.c --------------------

# without nginx's source there is no build-fuzz/fuzz/nginx

fuzzers := $(patsubst t/fuzz/%.c,$(build)/fuzz/%,$(sort \
    $(filter-out $(if $(san_nginx),,%/nginx.c),$(wildcard t/fuzz/*.c))))

$(build)/fuzz/%: t/fuzz/%.c $(build)/libadsd.a $(build)/libadscore.a $(build)/flags
	@mkdir -p $(@D)
	@echo "  FUZZ $<"
	@$(CC) $(ads_cflags) $(CFLAGS) -MMD -MP $(ads_ldflags) -o $@ \
	$< $(filter %.a,$^) $(adsd_libs) -lcmocka

# nginx as a library: its main() has another name, and returns to the target
# where nginx's loop would begin
ngx_includes := $(addprefix -isystem $(ngx_dir)/,. $(addprefix tree/src/,core \
    event event/modules os/unix http http/modules http/v2)) -Ingx_ads_module

$(build)/fuzz/nginx: t/fuzz/nginx.c $(module) $(build)/libadsd.a \
    $(build)/libadscore.a $(build)/flags
	@mkdir -p $(@D)
	@echo "  FUZZ $<"
	@objcopy --redefine-sym main=ngx_main $(ngx_dir)/src/core/nginx.o \
	$@.main.o
	@$(CC) $(ads_cflags) $(CFLAGS) $(ngx_includes) -MMD -MP $(ads_ldflags) \
	-Wl,--wrap=ngx_single_process_cycle,--wrap=epoll_wait \
	-Wl,--wrap=ngx_parse_addr_port -o $@ $< $@.main.o \
	$$(find $(ngx_dir) -name '*.o' ! -name nginx.o) $(filter %.a,$^) \
	$(adsd_libs) -lcmocka -lcrypt -lpcre2-8

.PHONY: fuzzers
fuzzers: $(fuzzers)

# T seconds each; TARGETS="url money" runs only these
T ?= 30
.PHONY: fuzz
fuzz:
	@tools/nginx-source build-san/nginx-src
	@$(MAKE) -j$(JOBS) SANITIZE=fuzz fuzzers
	@tools/fuzz $(T) $(JOBS) $(TARGETS)

# ---- dashboard: dashboard/dist, which is committed --------------------------

.PHONY: dashboard
dashboard:
	@tools/npm dashboard >/dev/null
	@ln -sfn ../build/npm/dashboard/node_modules dashboard/node_modules
	@node dashboard/build.mjs

# ---- demo ------------------------------------------------------------------

.PHONY: demo
demo:
	@tools/setup demo
	+@tools/demo run

.PHONY: demo-stop
demo-stop:
	@tools/demo stop

# ---- install and clean -----------------------------------------------------

.PHONY: install
install: all
	install -D -m 755 build/adsd $(DESTDIR)$(PREFIX)/sbin/adsd
	ln -sf adsd $(DESTDIR)$(PREFIX)/sbin/adsctl
	install -D -m 644 build/ngx_http_ads_module.so \
	    $(DESTDIR)$(MODULES_DIR)/ngx_http_ads_module.so
	install -d $(DESTDIR)$(PREFIX)/share/ngx-ads/nginx
	install -m 644 packaging/nginx/* $(DESTDIR)$(PREFIX)/share/ngx-ads/nginx
	install -D -m 644 nginx.conf.example \
	    $(DESTDIR)$(PREFIX)/share/doc/ngx-ads/nginx.conf.example
	sed -i -e 's#/usr/share/ngx-ads#$(PREFIX)/share/ngx-ads#' \
	    -e 's#/usr/lib/nginx/modules#$(MODULES_DIR)#' \
	    $(DESTDIR)$(PREFIX)/share/ngx-ads/nginx/*.conf \
	    $(DESTDIR)$(PREFIX)/share/doc/ngx-ads/nginx.conf.example
	install -D -m 644 adsd.conf.example \
	    $(DESTDIR)$(PREFIX)/share/doc/ngx-ads/adsd.conf.example
	install -D -m 644 packaging/nginx-ads.conf \
	    $(DESTDIR)$(PREFIX)/share/doc/ngx-ads/nginx-ads.conf
	install -D -m 644 packaging/sysusers.conf \
	    $(DESTDIR)$(PREFIX)/lib/sysusers.d/ads.conf
	install -D -m 644 packaging/tmpfiles.conf \
	    $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/ads.conf
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's#/usr/sbin/adsd#$(PREFIX)/sbin/adsd#' packaging/adsd.service \
	    > $(DESTDIR)$(PREFIX)/lib/systemd/system/adsd.service
	install -d $(DESTDIR)$(PREFIX)/share/ngx-ads/migrations
	install -d $(DESTDIR)$(PREFIX)/share/ngx-ads/code
	install -m 644 sql/roles.sql sql/duties.sql $(DESTDIR)$(PREFIX)/share/ngx-ads
	install -m 644 sql/migrations/*.sql $(DESTDIR)$(PREFIX)/share/ngx-ads/migrations
	install -m 644 sql/code/*.sql $(DESTDIR)$(PREFIX)/share/ngx-ads/code
	install -d $(DESTDIR)$(PREFIX)/share/ngx-ads/docs/swagger-ui
	install -m 644 docs/openapi.json build/errors.html \
	    $(DESTDIR)$(PREFIX)/share/ngx-ads/docs
	install -m 644 docs/swagger-ui/* \
	    $(DESTDIR)$(PREFIX)/share/ngx-ads/docs/swagger-ui
	install -d $(DESTDIR)$(PREFIX)/share/ngx-ads/dashboard
	install -m 644 dashboard/dist/* $(DESTDIR)$(PREFIX)/share/ngx-ads/dashboard
	install -d $(DESTDIR)$(PREFIX)/share/ngx-ads/embed
	install -m 644 embed/* $(DESTDIR)$(PREFIX)/share/ngx-ads/embed
	install -m 644 data/intent.model $(DESTDIR)$(PREFIX)/share/ngx-ads/intent.model
	install -d $(DESTDIR)$(PREFIX)/share/ngx-ads/guard
	install -m 644 data/guard/*.txt $(DESTDIR)$(PREFIX)/share/ngx-ads/guard
	install -d $(DESTDIR)$(PREFIX)/share/ngx-ads/goods
	install -m 644 data/goods/*.txt $(DESTDIR)$(PREFIX)/share/ngx-ads/goods

.PHONY: clean
clean:
	rm -rf build build-san build-tsan build-fuzz

-include $(wildcard $(build)/o/*/*.d $(build)/o/*/*/*.d $(build)/t/*.d \
    $(build)/*.d $(build)/fuzz/*.d)
