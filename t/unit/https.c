/*
 * What adsd asks of other servers: only hosts and addresses that are allowed,
 * within limits of time and size, over TLS that was verified; each failure has
 * its own text.  The servers are threads of this test on loopback.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "adsd/auth/https.c"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* a server that reads one request and says `says`, then closes */
struct server {
    const char *says; /* NULL: nothing, and it stays open */
    size_t flood;     /* bytes of 'x' behind */
    SSL_CTX *tls;     /* NULL: plain */
    int fd;
    int port;
    pthread_t thread;
    char heard[2048];
};


static int
accept_one(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    return poll(&poll_fd, 1, 10000) == 1 ? accept(fd, NULL, NULL) : -1;
}


/* Sends all, or until the client goes. */
static void
say(int peer, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = send(peer, bytes, len, MSG_NOSIGNAL);

        if (n <= 0) {
            return;
        }
        bytes += n;
        len -= (size_t)n;
    }
}


static void
serve_plain(struct server *server, int peer)
{
    static char flood[4096];
    struct pollfd poll_fd = {.fd = peer, .events = POLLIN};
    ssize_t n = recv(peer, server->heard, sizeof(server->heard) - 1, 0);

    server->heard[n > 0 ? n : 0] = '\0';
    if (server->says == NULL) {
        (void)poll(&poll_fd, 1, 10000); /* until the client goes */
        return;
    }
    say(peer, server->says, strlen(server->says));
    memset(flood, 'x', sizeof(flood));
    for (size_t left = server->flood; left > 0; left -= sizeof(flood)) {
        say(peer, flood, sizeof(flood));
    }
}


static void
serve_tls(struct server *server, int peer)
{
    SSL *tls = SSL_new(server->tls);

    SSL_set_fd(tls, peer);
    if (SSL_accept(tls) == 1
        && SSL_read(tls, server->heard, sizeof(server->heard) - 1) > 0)
    {
        SSL_write(tls, server->says, (int)strlen(server->says));
        SSL_shutdown(tls);
    }
    SSL_free(tls);
}


static void *
serve(void *data)
{
    struct server *server = data;
    int peer = accept_one(server->fd);

    if (peer >= 0) {
        if (server->tls != NULL) {
            serve_tls(server, peer);
        } else {
            serve_plain(server, peer);
        }
        close(peer);
    }
    return NULL;
}


static void
server_begin(struct server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(
        bind(server->fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(server->fd, 4), 0);
    getsockname(server->fd, (struct sockaddr *)&address, &len);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}


static void
server_end(struct server *server)
{
    shutdown(server->fd, SHUT_RDWR); /* wakes one that still waits */
    pthread_join(server->thread, NULL);
    close(server->fd);
}


static const struct https_rules test_rules = {
    .hosts = "idp.example 127.0.0.1 localhost",
    .allow_private = true,
};


static enum ads_err
ask(struct https_answer *answer, struct pool *pool, const char *format,
    int port)
{
    const struct https_request request = {
        .url = pool_format(pool, NULL, "%s:%d/x", format, port)};

    return https_ask(answer, pool, &test_rules, &request);
}


/* One question to a plain server that says this. */
static enum ads_err
ask_plain(struct https_answer *answer, struct pool *pool, const char *says,
          size_t flood)
{
    struct server server = {.says = says, .flood = flood};
    enum ads_err err;

    server_begin(&server);
    err = ask(answer, pool, "http://127.0.0.1", server.port);
    server_end(&server);
    return err;
}


static void
test_an_answer(void **state)
{
    struct pool *pool = pool_new();
    struct https_answer answer;

    (void)state;
    assert_int_equal(ask_plain(&answer, pool,
                               "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
                               0),
                     ADS_OK);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.len, 2);
    assert_string_equal(answer.body, "ok");
    assert_null(answer.why);

    /* also without a length, and empty */
    assert_int_equal(
        ask_plain(&answer, pool, "HTTP/1.1 200 OK\r\n\r\nshort", 0), ADS_OK);
    assert_string_equal(answer.body, "short");
    assert_int_equal(
        ask_plain(&answer, pool, "HTTP/1.1 204 No Content\r\n\r\n", 0), ADS_OK);
    assert_string_equal(answer.body, "");
    pool_free(pool);
}


static void
test_a_form_and_a_token_are_sent(void **state)
{
    struct server server = {.says =
                                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
    struct pool *pool = pool_new();
    struct https_request request = {.bearer = "t0ken"};
    struct https_answer answer;

    (void)state;
    setenv("http_proxy", "http://127.0.0.1:1/", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
    server_begin(&server);
    request.url =
        pool_format(pool, NULL, "http://127.0.0.1:%d/token", server.port);
    request.form = https_param(pool, NULL, "code", ADS_STR("a b&c=d%\xff~"));
    request.form = https_param(pool, request.form, "x", ADS_STR(""));
    assert_string_equal(request.form, "code=a%20b%26c%3Dd%25%FF~&x=");
    assert_int_equal(https_ask(&answer, pool, &test_rules, &request), ADS_OK);
    server_end(&server);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");

    assert_non_null(strstr(server.heard, "POST /token HTTP/1.1\r\n"));
    assert_non_null(strstr(server.heard, "Authorization: Bearer t0ken\r\n"));
    assert_non_null(strstr(server.heard, "Accept: application/json\r\n"));
    assert_non_null(strstr(server.heard, "User-Agent: ngx-ads\r\n"));
    assert_non_null(strstr(
        server.heard, "Content-Type: application/x-www-form-urlencoded\r\n"));
    assert_null(strstr(server.heard, "Cookie"));
    assert_null(strstr(server.heard, "Accept-Encoding"));
    pool_free(pool);
}


static void
test_a_redirect_is_not_followed(void **state)
{
    struct server target = {.says = "HTTP/1.1 200 OK\r\n\r\nsecret"};
    struct pool *pool = pool_new();
    struct https_answer answer;

    (void)state;
    server_begin(&target);
    assert_int_equal(
        ask_plain(&answer, pool,
                  pool_format(pool, NULL,
                              "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n"
                              "Location: http://127.0.0.1:%d/\r\n\r\n",
                              target.port),
                  0),
        ADS_CONFLICT);
    assert_int_equal(answer.status, 302);
    assert_string_equal(answer.body, "");
    server_end(&target);
    assert_string_equal(target.heard, "");
    pool_free(pool);
}


static void
test_another_status_keeps_its_body(void **state)
{
    struct pool *pool = pool_new();
    struct https_answer answer;

    (void)state;
    assert_int_equal(ask_plain(&answer, pool,
                               "HTTP/1.1 400 Bad Request\r\n\r\n{\"error\":1}",
                               0),
                     ADS_CONFLICT);
    assert_int_equal(answer.status, 400);
    assert_string_equal(answer.body, "{\"error\":1}");
    pool_free(pool);
}


static void
test_size_has_a_limit(void **state)
{
    static const char head[] = "HTTP/1.1 200 OK\r\n\r\n";
    struct pool *pool = pool_new();
    struct https_answer answer;

    (void)state;
    assert_int_equal(ask_plain(&answer, pool, head, HTTPS_LEN_MAX), ADS_OK);
    assert_int_equal(answer.len, HTTPS_LEN_MAX);
    assert_int_equal(ask_plain(&answer, pool, head, HTTPS_LEN_MAX + 4096),
                     ADS_TOO_LARGE);
    assert_int_equal(
        ask_plain(&answer, pool,
                  "HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n", 0),
        ADS_TOO_LARGE);
    /* headers too */
    assert_int_equal(
        ask_plain(&answer, pool, "HTTP/1.1 200 OK\r\nA: ", HTTPS_LEN_MAX * 2)
            == ADS_OK,
        false);
    pool_free(pool);
}


static void
test_what_breaks_is_told_apart(void **state)
{
    struct pool *pool = pool_new();
    struct server gone = {.says = ""};
    struct https_answer answer;
    struct timespec began, ended;

    (void)state;
    assert_int_equal(ask_plain(&answer, pool, "", 0), ADS_UNAVAILABLE);
    assert_string_equal(answer.why, "its answer broke off");
    assert_int_equal(ask_plain(&answer, pool, "what is this\r\n\r\n", 0),
                     ADS_UNAVAILABLE);
    assert_int_equal(ask_plain(&answer, pool,
                               "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx",
                               0),
                     ADS_UNAVAILABLE);

    server_begin(&gone);
    server_end(&gone);
    assert_int_equal(ask(&answer, pool, "http://127.0.0.1", gone.port),
                     ADS_UNAVAILABLE);
    assert_string_equal(answer.why, "connection refused");
    assert_int_equal(answer.status, 0);

    clock_gettime(CLOCK_MONOTONIC, &began);
    assert_int_equal(ask_plain(&answer, pool, NULL, 0), ADS_BUSY);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    assert_in_range(ended.tv_sec - began.tv_sec, 4, 8);
    pool_free(pool);
}


static void
test_a_stop_waits_for_nobody(void **state)
{
    static _Atomic bool stop = true;
    struct server server = {.says = NULL};
    struct https_rules rules = test_rules;
    struct pool *pool = pool_new();
    struct https_request request;
    struct https_answer answer;
    struct timespec began, ended;

    (void)state;
    rules.stop = &stop;
    server_begin(&server);
    request = (struct https_request){
        .url = pool_format(pool, NULL, "http://127.0.0.1:%d/", server.port)};
    clock_gettime(CLOCK_MONOTONIC, &began);
    assert_int_equal(https_ask(&answer, pool, &rules, &request),
                     ADS_UNAVAILABLE);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    server_end(&server);
    assert_string_equal(answer.why, "adsd stops");
    assert_in_range(ended.tv_sec - began.tv_sec, 0, 2);
    pool_free(pool);
}


static void
test_what_may_not_be_asked(void **state)
{
    static const char *const bad[] = {
        "http://127.0.0.2/",
        "http://127.0.0.1.evil.example/",
        "http://user@127.0.0.1/",
        "http://localhost.:1/",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "//127.0.0.1/",
        "http://2130706434/",
        "",
        "http://",
        "idp.example",
        "http://[::1]/",
        "dict://127.0.0.1:11/",
    };
    struct pool *pool = pool_new();
    struct https_rules rules = test_rules;
    struct https_request request;
    struct https_answer answer;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        request = (struct https_request){.url = bad[i]};
        if (https_ask(&answer, pool, &test_rules, &request) != ADS_DENIED) {
            fail_msg("asked: %s", bad[i]);
        }
        assert_string_equal(answer.why, "its address is not configured");
    }

    /* no plain http at all but for tests */
    rules.allow_private = false;
    request = (struct https_request){.url = "http://idp.example/"};
    assert_int_equal(https_ask(&answer, pool, &rules, &request), ADS_DENIED);
    pool_free(pool);
}


static void
test_a_private_address_is_refused_after_it_was_resolved(void **state)
{
    static const char *const urls[] = {"https://localhost",
                                       "https://127.0.0.1"};
    struct server server = {.says = "HTTP/1.1 200 OK\r\n\r\n"};
    struct https_rules rules = test_rules;
    struct pool *pool = pool_new();
    struct https_request request;
    struct https_answer answer;

    (void)state;
    rules.allow_private = false;
    server_begin(&server);
    for (size_t i = 0; i < 2; i++) {
        request = (struct https_request){
            .url = pool_format(pool, NULL, "%s:%d/", urls[i], server.port)};
        assert_int_equal(https_ask(&answer, pool, &rules, &request),
                         ADS_DENIED);
        assert_string_equal(answer.why, "its address is not public");
    }
    server_end(&server);
    assert_string_equal(server.heard, "");
    pool_free(pool);
}


static void
test_which_addresses_are_public(void **state)
{
    static const struct {
        const char *text;
        bool is_public;
    } cases[] = {
        {"8.8.8.8", true},
        {"1.1.1.1", true},
        {"100.63.255.255", true},
        {"100.64.0.0", false},
        {"100.127.255.255", false},
        {"100.128.0.0", true},
        {"0.0.0.0", false},
        {"10.255.255.255", false},
        {"11.0.0.0", true},
        {"127.0.0.1", false},
        {"127.255.255.255", false},
        {"169.254.169.254", false},
        {"172.15.255.255", true},
        {"172.16.0.1", false},
        {"172.31.255.255", false},
        {"172.32.0.0", true},
        {"192.0.0.1", false},
        {"192.0.1.1", true},
        {"192.0.2.1", false},
        {"192.168.1.1", false},
        {"198.17.255.255", true},
        {"198.18.0.1", false},
        {"198.19.255.255", false},
        {"198.51.100.7", false},
        {"203.0.113.9", false},
        {"223.255.255.255", true},
        {"224.0.0.1", false},
        {"240.0.0.1", false},
        {"255.255.255.255", false},
        {"::", false},
        {"::1", false},
        {"::ffff:127.0.0.1", false},
        {"::ffff:8.8.8.8", true},
        {"::127.0.0.1", false},
        {"64:ff9b::10.0.0.1", false},
        {"64:ff9b::8.8.8.8", true},
        {"64:ff9b:1::8.8.8.8", false},
        {"fe80::1", false},
        {"fc00::1", false},
        {"fd12::1", false},
        {"ff02::1", false},
        {"2001:db8::1", false},
        {"2001::1", false},
        {"2002:7f00:1::", false},
        {"2600:1f18::1", true},
        {"2a00:1450:4001::200e", true},
        {"3fff::1", false},
        {"4000::1", false},
    };
    uint8_t ip[16];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool six = strchr(cases[i].text, ':') != NULL;

        assert_int_equal(inet_pton(six ? AF_INET6 : AF_INET, cases[i].text, ip),
                         1);
        if (https_is_public(ip, six ? 16 : 4) != cases[i].is_public) {
            fail_msg("%s", cases[i].text);
        }
    }
}


/* ---- TLS ---- */

/* A key and a certificate for `name` (as of subjectAltName), in a file that is
 * its own authority. */
static SSL_CTX *
tls_make(const char *name, const char *path, bool old)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    X509_NAME *subject = X509_get_subject_name(cert);
    X509_EXTENSION *alt =
        X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, name);
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    FILE *file = fopen(path, "w");

    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -7200);
    X509_gmtime_adj(X509_getm_notAfter(cert), old ? -3600 : 3600);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               (const unsigned char *)"test", -1, -1, 0);
    X509_set_issuer_name(cert, subject);
    X509_set_pubkey(cert, key);
    X509_add_ext(cert, alt, -1);
    assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
    assert_int_equal(SSL_CTX_use_certificate(tls, cert), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(tls, key), 1);
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, cert), 1);
    (void)fclose(file);
    X509_EXTENSION_free(alt);
    X509_free(cert);
    EVP_PKEY_free(key);
    return tls;
}


/* One question to a TLS server that shows a certificate of this name. */
static enum ads_err
ask_tls(const char *name, bool trusted, bool old, int version_max)
{
    char path[] = "/tmp/ads-https-XXXXXX";
    struct server server = {.says = "HTTP/1.1 200 OK\r\n\r\nok"};
    struct https_rules rules = test_rules;
    struct pool *pool = pool_new();
    struct https_request request;
    struct https_answer answer;
    enum ads_err err;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    server.tls = tls_make(name, path, old);
    if (version_max != 0) {
        SSL_CTX_set_security_level(server.tls, 0);
        SSL_CTX_set_min_proto_version(server.tls, version_max);
        SSL_CTX_set_max_proto_version(server.tls, version_max);
    }
    rules.ca_file = trusted ? path : "";
    server_begin(&server);
    request = (struct https_request){
        .url = pool_format(pool, NULL, "https://localhost:%d/", server.port)};
    err = https_ask(&answer, pool, &rules, &request);
    assert_string_equal(answer.body, err == ADS_OK ? "ok" : "");
    server_end(&server);
    SSL_CTX_free(server.tls);
    unlink(path);
    pool_free(pool);
    return err;
}


static void
test_tls_is_verified(void **state)
{
    (void)state;
    assert_int_equal(ask_tls("DNS:localhost", true, false, 0), ADS_OK);
    assert_int_equal(ask_tls("DNS:localhost", true, false, TLS1_2_VERSION),
                     ADS_OK);
    assert_int_equal(ask_tls("DNS:localhost", false, false, 0), ADS_FORGED);
    assert_int_equal(ask_tls("DNS:other.example", true, false, 0), ADS_FORGED);
    assert_int_equal(ask_tls("DNS:localhost", true, true, 0), ADS_FORGED);
    assert_int_equal(ask_tls("DNS:localhost", true, false, TLS1_1_VERSION),
                     ADS_FORGED);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_answer),
        cmocka_unit_test(test_a_form_and_a_token_are_sent),
        cmocka_unit_test(test_a_redirect_is_not_followed),
        cmocka_unit_test(test_another_status_keeps_its_body),
        cmocka_unit_test(test_size_has_a_limit),
        cmocka_unit_test(test_what_breaks_is_told_apart),
        cmocka_unit_test(test_a_stop_waits_for_nobody),
        cmocka_unit_test(test_what_may_not_be_asked),
        cmocka_unit_test(
            test_a_private_address_is_refused_after_it_was_resolved),
        cmocka_unit_test(test_which_addresses_are_public),
        cmocka_unit_test(test_tls_is_verified),
    };

    signal(SIGPIPE, SIG_IGN); /* as adsd does */
    if (!https_init()) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
