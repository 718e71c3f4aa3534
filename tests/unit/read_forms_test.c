/* Forms of mails that few programs write: winmail.dat, names in pieces, wrappers of signatures, texts with
 * NULs. Each is read by the confined process. */
#include "read_mail.h"

#include "base/buf.h"
#include "mail/header.h"
#include "mail/read_child.h"

#include <sodium.h>

#define MAIL(raw) mail_of((struct str){raw, sizeof raw - 1}) /* a literal, also with NULs */

/* ---- winmail.dat ----------------------------------------------------------------------------- */

static void put_number(struct buf *b, uint64_t n, int bytes) {
    for (int i = 0; i < bytes; i++) buf_str(b, (struct str){(const char[]){(char)(n >> (8 * i) & 255)}, 1});
}

/* An attribute: level, id, length, bytes, and the sum of the bytes. `length` may lie; -1: it does not. */
static void put_attribute(struct buf *b, int level, uint32_t id, struct str bytes, int64_t length) {
    unsigned sum = 0;
    for (size_t i = 0; i < bytes.n; i++) sum += (unsigned char)bytes.p[i];
    put_number(b, (uint64_t)level, 1);
    put_number(b, id, 4);
    put_number(b, length < 0 ? bytes.n : (uint64_t)length, 4);
    buf_str(b, bytes);
    put_number(b, sum & 0xFFFF, 2);
}

#define RENDERING_DATA ((struct str){"\1\0\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\0", 14})
#define BODY 0x0002800C
#define PROPERTIES 0x00069003
#define ATTACHMENT 0x00069002
#define TITLE 0x00018010
#define DATA 0x0006800F

static void begin_tnef(struct buf *b) {
    buf_str(b, (struct str){"\x78\x9F\x3E\x22\1\0", 6});
    put_attribute(b, 1, 0x00089006, (struct str){"\0\0\1\0", 4}, -1);
    put_attribute(b, 1, 0x00069007, (struct str){"\xE4\4\0\0\0\0\0\0", 8}, -1); /* code page 1252 */
}

static void put_file(struct buf *b, struct str title, struct str data, int64_t length) {
    put_attribute(b, 2, ATTACHMENT, RENDERING_DATA, -1);
    put_attribute(b, 2, TITLE, title, -1);
    put_attribute(b, 2, DATA, data, length);
}

/* A mail with these bytes as winmail.dat, so many times. */
static struct incoming mail_with(struct buf *tnef, int times) {
    struct buf b = {0};
    char *base64 = arena_bytes(arena, sodium_base64_encoded_len(tnef->n, sodium_base64_VARIANT_ORIGINAL));
    sodium_bin2base64(base64, sodium_base64_encoded_len(tnef->n, sodium_base64_VARIANT_ORIGINAL),
                      (unsigned char *)tnef->p, tnef->n, sodium_base64_VARIANT_ORIGINAL);
    buf_text(&b, "From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n");
    for (int i = 0; i < times; i++) {
        buf_text(
            &b,
            "--x\nContent-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n");
        buf_text(&b, base64);
        buf_text(&b, "\n");
    }
    buf_text(&b, "--x--\n");
    struct incoming m = mail_of(buf_take(&b, arena));
    buf_free(tnef);
    return m;
}

static void files_and_text_of_a_winmail_dat_are_read(void **state) {
    (void)state;
    struct buf b = {0};
    begin_tnef(&b);
    put_attribute(&b, 1, BODY, (struct str){"Caf\xE9, please.\0", 14}, -1);
    put_file(&b, (struct str){"r\xE9sum\xE9.txt\0", 11}, S("the first"), -1);
    put_file(&b, (struct str){"../two.bin\0", 11}, (struct str){"\0\1\2", 3}, -1);
    struct incoming m = mail_with(&b, 1);
    is_text(m.text, "Caf\xC3\xA9, please.");
    assert_int_equal(m.file_count, 2);
    is_text(m.files[0].name, "r\xC3\xA9sum\xC3\xA9.txt");
    is_text(m.files[0].bytes, "the first");
    assert_null(memchr(m.files[1].name.p, 0x2F, m.files[1].name.n));
    assert_int_equal(m.files[1].bytes.n, 3);
}

/* Properties of MAPI as Outlook writes them (MS-OXTNEF section 2.1.3.4): type, id, and for texts and bytes
 * a count, a length and padding. */
static void put_property_number(struct buf *b, unsigned id, uint32_t n) {
    put_number(b, 0x0003 | (uint64_t)id << 16, 4);
    put_number(b, n, 4);
}

static void put_property_bytes(struct buf *b, unsigned type, unsigned id, struct str bytes) {
    put_number(b, type | (uint64_t)id << 16, 4);
    put_number(b, 1, 4);
    put_number(b, bytes.n, 4);
    buf_str(b, bytes);
    put_number(b, 0, (int)(-bytes.n & 3));
}

static struct incoming mail_with_properties(int count, struct buf *properties) {
    struct buf b = {0}, all = {0};
    put_number(&all, (uint64_t)count, 4);
    buf_str(&all, buf_view(properties));
    begin_tnef(&b);
    put_attribute(&b, 1, 0x00078008, S("IPM.Microsoft Mail.Note"), -1);
    put_attribute(&b, 1, PROPERTIES, buf_view(&all), -1);
    buf_free(&all);
    buf_free(properties);
    return mail_with(&b, 1);
}

static void texts_of_a_winmail_dat_have_its_code_page(void **state) {
    (void)state;
    struct buf p = {0};
    put_property_number(&p, 0x3FFD, 1251);
    put_property_bytes(&p, 0x1E, 0x1000, (struct str){"\xCF\xF0\xE8\xE2\xE5\xF2\0", 7});
    is_text(mail_with_properties(2, &p).text, "\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82");
    put_property_number(&p, 0x3FDE, 932);
    put_property_bytes(&p, 0x102, 0x1013, S("<p>\x93\xFA\x96{</p>"));
    is_text(mail_with_properties(2, &p).text, "\xE6\x97\xA5\xE6\x9C\xAC");
    put_property_number(&p, 0x3FDE, 28592);
    put_property_bytes(&p, 0x1E, 0x1000,
                       (struct str){"\xB3\xF3"
                                    "d\xBC\0",
                                    5});
    is_text(mail_with_properties(2, &p).text, "\xC5\x82\xC3\xB3"
                                              "d\xC5\xBA");
    put_property_bytes(&p, 0x1F, 0x1000, (struct str){"H\0i\0\xE9\0\0\0", 8});
    is_text(mail_with_properties(1, &p).text, "Hi\xC3\xA9");
    put_property_bytes(&p, 0x1F, 0x1000, (struct str){"\xE5\x65\x2C\x67\x9E\x8A\0", 8});
    is_text(mail_with_properties(1, &p).text, "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E");
}

static void the_signature_of_a_device_in_a_winmail_dat_is_folded(void **state) {
    (void)state;
    struct buf p = {0};
    put_property_bytes(&p, 0x1E, 0x1000, S("Yes.\r\n\r\nSent from my phone\r\n"));
    struct incoming m = mail_with_properties(1, &p);
    is_text(m.text, "Yes.");
    is_text(m.quoted, "Sent from my phone");
}

/* RTF in the format LZFu, all of it as literals (MS-OXRTFCP section 2.2). `size` is what the header
 * announces. */
static struct incoming mail_with_rtf(const char *rtf, uint32_t size) {
    struct buf p = {0}, packed = {0};
    size_t n = strlen(rtf), end = (207 + n) % 4096;
    put_number(&packed, 12 + 1 + 8 + 1 + n - 8 + 2, 4);
    put_number(&packed, size, 4);
    buf_text(&packed, "LZFu");
    put_number(&packed, 0, 4);
    put_number(&packed, 0, 1); /* the next eight are literals */
    buf_str(&packed, (struct str){rtf, 8});
    put_number(&packed, UINT64_C(1) << (n - 8), 1); /* literals, and the mark of the end */
    buf_text(&packed, rtf + 8);
    put_number(&packed, end >> 4, 1);
    put_number(&packed, (end & 15) << 4, 1);
    put_property_bytes(&p, 0x102, 0x1009, buf_view(&packed));
    buf_free(&packed);
    return mail_with_properties(1, &p);
}

static void a_winmail_dat_with_only_rtf_gives_a_file(void **state) {
    (void)state;
    struct incoming m = mail_with_rtf("{\\rtf1 Hello}", 13);
    assert_int_equal(m.file_count, 1);
    is_text(m.files[0].name, "message.rtf");
    is_text(m.files[0].bytes, "{\\rtf1 Hello}");
    assert_int_equal(mail_with_rtf("{\\rtf1 Hello}", 0x7FFFFFFF).file_count, 0);
}

static void a_broken_winmail_dat_is_kept_as_a_file(void **state) {
    (void)state;
    struct buf b = {0};
    begin_tnef(&b);
    put_file(&b, S("a.txt"), S("the first"), -1);
    b.n -= 6; /* within the data of the file */
    struct incoming m = mail_with(&b, 1);
    assert_int_equal(m.file_count, 1);
    is_text(m.files[0].name, "winmail.dat");
    buf_text(&b, "\x78\x9F\x3E\x22 this is no TNEF at all");
    m = mail_with(&b, 1);
    is_text(m.files[0].name, "winmail.dat");
}

/* The library prints a complaint about each. Together they are more than the buffer of standard output,
 * and would be in the answer. */
static void winmail_dats_that_lie_about_lengths_harm_nothing(void **state) {
    (void)state;
    static const int64_t lengths[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct buf b = {0};
        begin_tnef(&b);
        put_file(&b, S("a.txt"), S("the first"), lengths[i]);
        assert_true(mail_with(&b, 300).file_count > 0);
    }
    static const char properties[] = "\xFF\xFF\xFF\x7F\x1E\0\7\x30\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x7Fxxxx";
    for (size_t n = 4; n < sizeof properties; n++) {
        struct buf b = {0};
        begin_tnef(&b);
        put_attribute(&b, 1, PROPERTIES, (struct str){properties, n}, -1);
        put_file(&b, S("a.txt"), S("the first"), -1);
        assert_true(mail_with(&b, 300).file_count > 0);
    }
}

/* ---- headers --------------------------------------------------------------------------------- */

static struct str name_of_file(const char *disposition) {
    struct incoming m = mail_of(str_fmt(arena,
                                        "From: a@b.c\nContent-Type: multipart/mixed; "
                                        "boundary=x\n\n--x\nContent-Type: "
                                        "application/pdf\nContent-Disposition: attachment; "
                                        "%s\n\nbytes\n--x--\n",
                                        disposition));
    assert_int_equal(m.file_count, 1);
    return m.files[0].name;
}

static void file_names_of_rfc_2231_are_joined_and_decoded(void **state) {
    (void)state;
    is_text(name_of_file("filename*=UTF-8''na%C3%AFve%20plan.pdf"), "na\xC3\xAFve plan.pdf");
    is_text(name_of_file("filename*=iso-8859-1'de'gr%FC%DF.pdf"), "gr\xC3\xBC\xC3\x9F.pdf");
    is_text(name_of_file("filename*0=\"a long \";\n filename*1=\"name\";\n filename*2=.pdf"),
            "a long name.pdf");
    is_text(name_of_file("filename*1*=%C3%A9.pdf;\n filename*0*=UTF-8''caf"), "caf\xC3\xA9.pdf");
    is_text(name_of_file("filename*0*=UTF-8''%E2%82;\n filename*1*=%AC;\n filename*2=\" %41.pdf\""),
            "\xE2\x82\xAC %41.pdf");
    is_text(name_of_file("filename*=koi8-r''%D4%C5%D3%D4.pdf"), "\xD1\x82\xD0\xB5\xD1\x81\xD1\x82.pdf");
    is_text(name_of_file("filename=\"plain.pdf\"; filename*=UTF-8''pr%C3%A9f.pdf"), "pr\xC3\xA9"
                                                                                    "f.pdf");
}

static void dates_are_judged_by_the_clock_of_the_desk(void **state) {
    (void)state;
    struct incoming m;
    struct str raw = S("From: a@b.c\nDate: Sun, 1 Jan 2090 00:00:00 +0000\n\nx");
    assert_int_equal(mail_read(arena, raw, NOW, &mail_wholly, &m), 1);
    assert_int_equal(m.date, 0);
    assert_int_equal(mail_read(arena, raw, INT64_C(3786912000000), &mail_wholly, &m), 1);
    assert_int_equal(m.date, INT64_C(3786912000000));
}

static void dates_are_read_in_obsolete_and_broken_forms(void **state) {
    static const struct {
        const char *text;
        int64_t seconds; /* since 1970; 0: not a date */
    } dates[] = {
        {"Tue, 6 Jan 2026 10:00:00 +0000", 1767693600},
        {"Tue, 6 Jan 2026 10:00:00 +0000 (CEST)", 1767693600},
        {"Tue, 6 Jan 2026 10:00:00 +0200 (CEST (summer) -0500)", 1767686400},
        {"Tue (day), 6 (of) Jan 2026 (7 Feb 2027) 10:00 (PST) -0800", 1767722400},
        {"6 Jan 26 10:00 EST", 1767711600},
        {"6 Jan 126 10:00 GMT", 1767693600},
        {"Tue, 06-Jan-2026 10:00:00 GMT", 1767693600},
        {"Tue, 6 Jan 2026 10:00:00 GMT+0200", 1767686400},
        {"Tue, 6 Jan 2026 10:00:00 +02:00", 1767686400},
        {"Tue, 6 Jan 2026 10:00:00 +9999", 1767693600},
        {"Tue, 6 Jan 2026 10:00:00 Z", 1767693600},
        {"Tue, 6 Jan 2026 99:99:99 +0000", 1767657600},
        {"Tue Jan  6 10:00:00 2026", 1767693600},
        {"1 Jan 99 00:00:00 UT", 915148800},
        {"29 Feb 2024 00:00:00 +0000", 1709164800},
        {"29 Feb 2025 00:00:00 +0000", 0},
        {"31 Apr 2025 00:00:00 +0000", 0},
        {"31 Dec 2025 23:59:60 +0000", 1767225600},
        {"(6 Jan 2026 10:00:00 +0000", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        int64_t is = mail_date(str_of(dates[i].text));
        if (is != dates[i].seconds * 1000) fail_msg("%s is %lld", dates[i].text, (long long)is / 1000);
    }
}

static void nuls_are_taken_out_of_headers_and_texts(void **state) {
    (void)state;
    struct incoming m = MAIL(
        "From: A\0da <ada@exam\0ple.com>\nSub\0ject: no\nSubject: Two\0 words\nX-Spam-Flag: YES\0NO\n\nHel\0lo\0\n\0\nyou");
    is_text(m.subject, "Two words");
    is_text(m.text, "Hello\n\nyou");
    assert_null(memchr(m.from.name.p, 0, m.from.name.n));
    assert_true(m.from.address.p == NULL || !memchr(m.from.address.p, 0, m.from.address.n));
    m = MAIL(
        "From: a@b.c\nContent-Type: text/html\n\n<p>Hel\0lo <b\0>you</b></p><scr\0ipt>alert(1)</script>");
    assert_null(memchr(m.html.p, 0, m.html.n));
    assert_null(memmem(m.html.p, m.html.n, "<script", 7));
    m = MAIL("From: a@b.c\nContent-Type: multipart/mixed; boundary=\"x\0y\"\n\n--x\n\na\n--x--\n");
    assert_true(m.text.n > 0);
}

static void a_header_of_a_megabyte_and_a_thousand_recipients_are_bounded(void **state) {
    (void)state;
    struct buf b = {0};
    buf_text(&b, "From: a@b.c\nTo: ");
    for (int i = 0; i < 1000; i++) buf_str(&b, str_fmt(arena, "%su%d@b.c", i ? ",\n " : "", i));
    buf_text(&b, "\n\nx");
    struct incoming m = mail_of(str_dup(arena, buf_view(&b)));
    assert_int_equal(m.to_count, 1000);
    is_text(m.to[999].address, "u999@b.c");
    assert_false(m.cut);
    b.n = 0;
    buf_text(&b, "From: a@b.c\nSubject: ");
    for (int i = 0; i < 1 << 20; i++) buf_text(&b, "s");
    buf_text(&b, "\nMessage-ID: <1@b.c>\n\nHello");
    m = mail_of(str_dup(arena, buf_view(&b)));
    assert_true(m.subject.n > 0 && m.subject.n <= 2000 && m.cut);
    is_text(m.message_id, "1@b.c");
    is_text(m.text, "Hello");
    buf_free(&b);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void flowed_texts_are_joined_as_they_say(void **state) {
    (void)state;
    is_text(MAIL("From: a@b.c\nContent-Type: text/plain; format=flowed\n\none \ntwo\n three\n").text,
            "one two\nthree");
    is_text(MAIL("From: a@b.c\nContent-Type: text/plain; format=flowed; delsp=yes\n\none \ntwo\n").text,
            "onetwo");
    is_text(MAIL("From: a@b.c\nContent-Type: text/plain; format=flowed\n\none\n\n-- \nAda\n").text, "one");
}

static void a_file_in_uuencode_is_decoded(void **state) {
    (void)state;
    struct incoming m = MAIL(
        "From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: image/gif; name=c.gif\n"
        "Content-Transfer-Encoding: x-uuencode\n\nbegin 644 c.gif\n#0V%T\n`\nend\n--x--\n");
    is_text(m.files[0].bytes, "Cat");
}

static void signed_and_encrypted_mails_say_so(void **state) {
    (void)state;
    struct incoming m = MAIL(
        "From: a@b.c\nContent-Type: multipart/signed; protocol=\"application/pkcs7-signature\"; boundary=x\n\n--x\n"
        "Content-Type: text/plain\n\nHello\n--x\nContent-Type: application/pkcs7-signature; name=smime.p7s\n"
        "Content-Transfer-Encoding: base64\n\nAAEC\n--x--\n");
    is_text(m.text, "Hello");
    is_text(m.files[0].name, "smime.p7s");
    m = MAIL("From: a@b.c\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n"
             "Content-Transfer-Encoding: base64\n\nAAEC\n");
    is_text(m.text, "This mail is encrypted (S/MIME). Its contents are in the attachment.");
    is_text(m.files[0].name, "smime.p7m");
    assert_int_equal(m.files[0].bytes.n, 3);
    m = MAIL(
        "From: a@b.c\nContent-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\n\nAAEC\n");
    is_text(m.text, "This mail is signed (S/MIME). Its contents are in the attachment.");
    m = MAIL(
        "From: a@b.c\nContent-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=x\n\n--x\n"
        "Content-Type: application/pgp-encrypted\n\nVersion: 1\n--x\nContent-Type: application/octet-stream\n\nsecret\n--x--\n");
    is_text(m.text, "This mail is encrypted. Its contents are in the attachment.");
    is_text(m.files[1].bytes, "secret");
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], MAIL_ARGUMENT) == 0) return mail_child();
    if (sodium_init() < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_and_text_of_a_winmail_dat_are_read),
        cmocka_unit_test(a_broken_winmail_dat_is_kept_as_a_file),
        cmocka_unit_test(winmail_dats_that_lie_about_lengths_harm_nothing),
        cmocka_unit_test(file_names_of_rfc_2231_are_joined_and_decoded),
        cmocka_unit_test(dates_are_judged_by_the_clock_of_the_desk),
        cmocka_unit_test(dates_are_read_in_obsolete_and_broken_forms),
        cmocka_unit_test(texts_of_a_winmail_dat_have_its_code_page),
        cmocka_unit_test(the_signature_of_a_device_in_a_winmail_dat_is_folded),
        cmocka_unit_test(a_winmail_dat_with_only_rtf_gives_a_file),
        cmocka_unit_test(nuls_are_taken_out_of_headers_and_texts),
        cmocka_unit_test(a_header_of_a_megabyte_and_a_thousand_recipients_are_bounded),
        cmocka_unit_test(flowed_texts_are_joined_as_they_say),
        cmocka_unit_test(a_file_in_uuencode_is_decoded),
        cmocka_unit_test(signed_and_encrypted_mails_say_so),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
