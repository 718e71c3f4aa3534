/* Each sign gives points. The phrases are those of mail systems; a phrase that people write, too, gives
 * few points and needs company. */
#include "core/mail/bounce_guess.h"

#include <string.h>

#define GUESS_TEXT 12000 /* bytes of the text, and of the quoted text, that are read */
#define GUESS_HEAD 700   /* a sign of absence counts up to here */
#define GUESS_OPENING 200
#define REASON_MOST 300

struct phrase {
    const char *text;
    int points;
};

/* ---- phrases: in lower case, with single blanks ---------------------------------------------- */

/* clang-format off */
static const struct phrase of_senders[] = {
    {"mailer-daemon", 4}, {"mdaemon", 4}, {"postmaster", 3},
    {"microsoftexchange329e71ec88ae4615bbc36ab6ce41109e", 4}, {"mail delivery s", 4},
    {"mail delivery subsystem", 4}, {"delivery subsystem", 4}, {"mail administrator", 3}, {"mailadmin", 2},
    {"system administrator", 2}, {"mail router", 3}, {"mail forwarding", 3}, {"mail filter", 3},
    {"content filter", 3}, {"mail security", 3}, {"mail server", 1}, {"mail-server", 1}, {"mail delivery", 4},
    {"forward-errors", 3}, {"bounce", 2}, {"mail system", 3}, {"smtpd", 2}, {"mta", 1}, {"noreply", 1},
    {"no-reply", 1}, {"mail service", 1}, {"errors@", 2}, {"gateway", 1}, {0}};

static const struct phrase of_subjects[] = {
    {"undelivered mail returned to sender", 6}, {"mail delivery status", 4}, {"error sending message", 4},
    {"delivery status notification (failure)", 6}, {"mail delivery failed", 6}, {"failure notice", 5},
    {"returned mail:", 6}, {"returned mail", 4}, {"undeliverable:", 4}, {"undeliverable mail", 5},
    {"undeliverable", 3}, {"undelivered", 3}, {"delivery failure", 5}, {"delivery failed", 4},
    {"delivery has failed", 5}, {"mail system error", 5}, {"returning message to sender", 6},
    {"message could not be delivered", 5}, {"could not be delivered", 4}, {"couldn't be delivered", 4},
    {"not delivered", 4}, {"unable to deliver", 5}, {"unable to deliver your message", 6},
    {"mail failure", 5}, {"message delivery failure", 6}, {"message status - undeliverable", 6},
    {"message undeliverable", 6}, {"delivery error", 4}, {"error sending", 3}, {"bounce", 2},
    {"rejected mail", 4}, {"rejected:", 3}, {"mail rejected", 4}, {"user unknown", 5}, {"unknown user", 5},
    {"unknown recipient", 5}, {"mailbox full", 4}, {"over quota", 3}, {"permanent delivery failure", 6},
    {"delivery report", 4}, {"delivery status notification", 4}, {"delivery status", 2},
    {"warning: could not send message", 6}, {"warning: message", 4}, {"delayed mail", 4},
    {"delivery delayed", 4}, {"delivery status notification (delay)", 6}, {"disabled", 2},
    {"no longer in use", 4}, {"zwrot wiadomości", 5}, {"no longer valid", 4}, {"account closed", 3},
    {"unzustellbar", 5}, {"nicht zustellbar", 5}, {"unzustellbare", 5}, {"nicht zugestellt", 5},
    {"zustellung fehlgeschlagen", 5}, {"fehler bei der zustellung", 5}, {"non remis", 5},
    {"chec de la remise", 5}, {"non distribu", 5}, {"non délivr", 5}, {"retour à l'expéditeur", 5},
    {"no se puede entregar", 5}, {"no entregado", 5}, {"no se ha podido entregar", 5}, {"devuelto", 4},
    {"mancata consegna", 5}, {"não entregue", 5}, {"não foi possível entregar", 5}, {"onbestelbaar", 5},
    {"niet bezorgd", 5}, {"niedostarczon", 4}, {"не доставлено", 5}, {"не удалось доставить", 5}, {"退信", 5},
    {"退件", 5}, {"邮件无法", 5}, {"无法送达", 5}, {"无法投递", 5}, {"系统退信", 6}, {"发送失败", 4}, {"配信不能", 6}, {"送信できません", 6},
    {"전송 실패", 6}, {"반송", 4}, {0}};

static const struct phrase of_texts[] = {
    {"this is the qmail-send program", 9}, {"xmail bounce:", 9},
    {"this is a delivery status notification from", 9}, {"exceeded its quota", 5},
    {"i'm afraid i wasn't able to deliver your message", 9}, {"this is a permanent error; i've given up", 9},
    {"i've given up. sorry it didn't work out", 9}, {"--- below this line is a copy of the message", 7},
    {"sorry, no mailbox here by that name", 7}, {"sorry, i couldn't find any host", 7},
    {"i was unable to deliver your message", 6}, {"this is the mail system at host", 9},
    {"could not be delivered to one or more", 7}, {"the following addresses had permanent", 9},
    {"transcript of session follows", 8}, {"had permanent delivery errors", 8},
    {"message could not be delivered for", 7}, {"reporting-mta:", 4}, {"final-recipient:", 5},
    {"a message that you sent could not be delivered", 9},
    {"this message was created automatically by mail deliver", 7}, {"the following address(es) failed", 8},
    {"your message could not be delivered", 6}, {"your mail could not be delivered", 6},
    {"could not be delivered to the following", 7}, {"was not delivered to", 5},
    {"did not reach the following recipient", 8}, {"your message did not reach", 8},
    {"your message was not delivered", 6}, {"delivery to the following recipient", 8},
    {"delivery to these recipients or", 8}, {"delivery has failed to these recipients", 9},
    {"unable to deliver your message", 6}, {"unable to deliver the message", 6}, {"couldn't be delivered", 5},
    {"cannot be delivered", 4}, {"can not be delivered", 5}, {"failed to deliver", 4},
    {"failed permanently", 6}, {"undelivered message", 4}, {"undeliverable mail", 5}, {"undeliverable to", 4},
    {"message undeliverable", 5}, {"unsent message follows", 8}, {"original message follows", 4},
    {"message returned", 3}, {"returned to you", 3}, {"returned to sender", 4}, {"failed recipient", 6},
    {"diagnostic information for administrators", 6}, {"generating server:", 5}, {"diagnostic-code:", 6},
    {"unrouteable address", 7}, {"unknown recipient", 6}, {"recipient address rejected", 7},
    {"address rejected", 5}, {"invalid recipient", 5}, {"user unknown", 6}, {"unknown user", 6},
    {"no such user", 6}, {"recipient not found", 5}, {"not listed in", 3}, {"does not exist", 2},
    {"no mailbox", 4}, {"mailbox unavailable", 5}, {"mailbox is full", 4}, {"mailbox full", 4},
    {"over quota", 4}, {"quota exceeded", 4}, {"retry timeout exceeded", 7},
    {"host or domain name not found", 7}, {"host not found", 4}, {"host unknown", 6},
    {"connection timed out", 3}, {"connection refused", 3}, {"name service error", 5},
    {"while talking to", 6}, {"in reply to rcpt to", 8}, {"in reply to end of data", 8},
    {"smtp error from remote", 8}, {"remote server returned", 5}, {"remote host said", 8}, {"host said:", 6},
    {"smtp; 5", 6}, {"rcpt to:", 4}, {"<<< 5", 6}, {">>> rcpt", 6}, {"action: failed", 6}, {"status: 5.", 5},
    {"the error that the other server returned", 9}, {"the response from the remote server", 8},
    {"the response was:", 5}, {"address not found", 6}, {"message blocked", 6}, {"has exceeded", 1},
    {"delivery attempt", 3}, {"permanent error", 4}, {"permanent failure", 5}, {"permanent fatal errors", 6},
    {"delivery error", 4}, {"delivery failure", 4}, {"delivery failed", 4},
    {"delivery status notification", 4}, {"mail delivery", 2}, {"delivery report", 3}, {"user's mailbox", 2},
    {"your message to", 2}, {"was rejected", 3}, {"the message was not", 2}, {"wasn't delivered", 4},
    {"was not delivered", 3}, {"could not be delivered", 3}, {"not be delivered", 3},
    {"could not deliver", 4}, {"suppression list", 5}, {"reason: ", 1}, {"your message subject", 4},
    {"intended recipient", 1}, {"domino", 1}, {"not listed in domino directory", 9},
    {"the e-mail system was unable to deliver", 9}, {"the email account that you tried to reach", 7},
    {"could not be reached", 4}, {"the following recipients could not", 7}, {"the following recipient", 4},
    {"the following addresses", 3}, {"bad destination", 6}, {"relay access denied", 6},
    {"message expired", 5}, {"too many hops", 5}, {"account has been disabled", 6},
    {"account is disabled", 6}, {"was automatically rejected", 7}, {"not accepting mail", 5},
    {"we will keep trying", 3}, {"will be retried", 4}, {"you do not need to resend", 8},
    {"this is a warning message only", 9}, {"konnte nicht zugestellt werden", 7},
    {"nicht zugestellt werden", 5}, {"nicht zustellbar", 5}, {"unzustellbar", 4}, {"empfänger unbekannt", 6},
    {"existiert nicht", 3}, {"fehler bei der nachrichten", 6}, {"postfach", 1}, {"n'a pas pu être", 3},
    {"pas pu être remis", 7}, {"pas pu être distribu", 7}, {"destinataire inconnu", 6}, {"n'existe pas", 3},
    {"no se pudo entregar", 6}, {"no se ha podido entregar", 6}, {"no ha podido ser entregado", 7},
    {"no se encontró", 3}, {"no existe", 2}, {"non è stato consegnato", 6}, {"casella inesistente", 5},
    {"casella piena", 4}, {"nie została dostarczona", 7}, {"skrzynka nie istnieje", 5},
    {"skrzynka jest przepełniona", 5}, {"não pôde ser entregue", 7}, {"não foi entregue", 6},
    {"kon niet worden bezorgd", 7}, {"не может быть доставлено", 7}, {"не доставлено", 5},
    {"не удалось доставить", 6}, {"无法送达", 7}, {"无法投递", 7}, {"被退回", 6}, {"退信原因", 8}, {"退信", 5}, {"退件", 4},
    {"收件人", 2}, {"不存在", 3}, {"未能送达", 7}, {"拒收", 4}, {"您的邮件", 3}, {"配信できません", 8}, {"送信できません", 7},
    {"お届けできません", 7}, {"宛先", 2}, {"見つかりません", 4}, {"エラー", 1}, {"수신자", 2}, {"존재하지 않", 4}, {0}};

/* Automatic answers of accounts that are closed. */
static const struct phrase of_closed[] = {
    {"no longer in use", 1}, {"no longer valid", 1}, {"has been disabled", 1}, {"is disabled", 1}, {0}};

static const struct phrase of_absence[] = {
    {"out of office", 1}, {"out of the office", 1}, {"out-of-office", 1}, {"ooo", 1}, {"automatic reply", 1}, {"auto reply", 1},
    {"autoreply", 1}, {"auto-reply", 1}, {"auto response", 1}, {"autoresponse", 1}, {"vacation", 1}, {"on holiday", 1}, {"on leave", 1},
    {"away from", 1}, {"abwesen", 1}, {"automatische antwort", 1}, {"im urlaub", 1}, {"absence", 1}, {"réponse automatique", 1},
    {"en congé", 1}, {"absent", 1}, {"respuesta automática", 1}, {"fuera de la oficina", 1}, {"risposta automatica", 1},
    {"fuori ufficio", 1}, {"resposta automática", 1}, {"afwezig", 1}, {"自动回复", 1}, {"自動回覆", 1}, {"自動返信", 1},
    {"不在", 1}, {"автоответ", 1}, {0}};

static const struct phrase of_arrival[] = {
    {"delivery status notification (success)", 1}, {"successfully delivered", 1}, {"successfully relayed", 1},
    {"delivery notification: delivery successful", 1}, {"action: delivered", 1}, {"action: relayed", 1}, {"action: expanded", 1},
    {"no delivery notification was sent", 1}, {"return receipt", 1}, {"read receipt", 1}, {"disposition-notification", 1},
    {"was read on", 1}, {"was displayed", 1}, {"wurde gelesen", 1}, {"a été lu", 1}, {"fue leído", 1}, {0}};

/* For subjects only, because a text may contain "has not been delivered: ". */
static const struct phrase of_arrived_subjects[] = {
    {"delivered: ", 1}, {"relayed: ", 1}, {"read: ", 1}, {"gelesen: ", 1}, {"zugestellt: ", 1}, {"lu : ", 1}, {"leído: ", 1}, {0}};

static const struct phrase of_delay[] = {
    {"this is a warning message only", 1}, {"delivery delayed", 1}, {"(delay)", 1}, {"message delayed", 1},
    {"delayed mail", 1}, {"has been delayed", 1}, {"have been delayed", 1}, {"is delayed", 1},
    {"delivery temporarily suspended", 1}, {"still being retried", 1}, {"still undelivered after", 1},
    {"warning: could not send", 1}, {"warning: message", 1}, {"action: delayed", 1},
    {"will continue to try", 1}, {"will keep trying", 1}, {"will be retried", 1},
    {"not yet been delivered", 1}, {"has not been delivered yet", 1}, {"verzögert", 1},
    {"wird weiterhin versuchen", 1}, {"retardé", 1}, {"a été différ", 1}, {"this is a warning only", 1},
    {"not need to resend", 1}, {0}};

/* Phrases of people. Delivery reports do not contain them. */
static const struct phrase of_people[] = {
    {"can you", 1}, {"could you", 1}, {"could somebody", 1}, {"have a look", 1}, {"i tried", 1},
    {"kind regards", 1}, {"best regards", 1}, {"many thanks", 1}, {"viele grüße", 1}, {"mit freundlichen", 1},
    {"cordialement", 1}, {"see below", 1}, {"my mail", 1}, {"i get this", 1}, {"we plan", 1}, {"bitte um", 1},
    {"saludos", 1}, {"i got this", 1}, {0}};
static const struct phrase of_greetings[] = {
    {"hello", 1}, {"hi all", 1}, {"hi,", 1}, {"hey", 1}, {"dear ", 1}, {"good morning", 1}, {"good afternoon", 1}, {"hallo", 1},
    {"guten tag", 1}, {"sehr geehrte", 1}, {"bonjour", 1}, {"hola", 1}, {"buongiorno", 1}, {"olá", 1}, {"beste ", 1}, {0}};

/* clang-format on */

/* ---- texts ----------------------------------------------------------------------------------- */

/* Returns the text in lower case, with each run of blanks and line breaks as one blank, ended by NUL. */
static struct str guess_text(struct arena *a, struct str s, size_t most) {
    if (s.n > most) s.n = most;
    char *out = arena_bytes(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c > ' ') out[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
        else if (n && out[n - 1] != ' ') out[n++] = ' ';
    }
    out[n] = 0;
    return (struct str){out, n};
}

static bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

/* Returns the place of the phrase, or NULL. A phrase begins at a word: "delivered" is not in
 * "undelivered". */
static const char *phrase_place(struct str text, const char *phrase) {
    for (const char *p = text.p; (p = strstr(p, phrase)) != NULL; p++)
        if (p == text.p || !is_small_letter(p[-1]) || !is_small_letter(*phrase)) return p;
    return NULL;
}

struct phrase_hit {
    int best;       /* points of the strongest phrase */
    const char *at; /* its place; NULL: none */
};

/* Returns the sum of the points. */
static int phrase_points(struct str text, const struct phrase *list, struct phrase_hit *hit) {
    int points = 0;
    *hit = (struct phrase_hit){0};
    for (const struct phrase *p = list; p->text; p++) {
        const char *found = phrase_place(text, p->text);
        if (found == NULL) continue;
        points += p->points;
        if (p->points > hit->best) *hit = (struct phrase_hit){p->points, found};
    }
    return points;
}

static bool phrase_in(struct str text, const struct phrase *list) {
    struct phrase_hit hit;
    return phrase_points(text, list, &hit) > 0;
}

static bool phrase_begins(struct str text, const struct phrase *list) {
    for (; list->text; list++)
        if (str_starts(text, str_of(list->text))) return true;
    return false;
}

/* Returns the text without the lines that a person quoted. The lines of a transcript begin with ">>>". */
static struct str unquoted_text(struct arena *a, struct str text) {
    char *out = arena_bytes(a, text.n + 1);
    size_t n = 0;
    for (struct str rest = text; rest.p && rest.n;) {
        struct str line = str_cut(&rest, '\n');
        if (str_starts(line, S(">")) && !str_starts(line, S(">>>"))) continue;
        memcpy(out + n, line.p, line.n);
        n += line.n;
        out[n++] = '\n';
    }
    return (struct str){out, n};
}

static bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/* Returns the enhanced status code of class 4 or 5 (RFC 3463) at p, or p NULL. */
static struct str status_at(const char *p) {
    const char *q = p + 1;
    if (*p != '4' && *p != '5') return (struct str){0};
    for (int i = 0; i < 2; i++) {
        int digits = 0;
        if (*q++ != '.') return (struct str){0};
        while (is_decimal(*q)) q++, digits++;
        if (digits == 0 || digits > 3) return (struct str){0};
    }
    return *q == '.' && is_decimal(q[1]) ? (struct str){0} : (struct str){p, (size_t)(q - p)};
}

/* Returns a part of the text, or p NULL. */
static struct str guess_status(struct str text) {
    struct str first = {0};
    for (size_t i = 0; i < text.n; i++) {
        if (i && (is_decimal(text.p[i - 1]) || text.p[i - 1] == '.')) continue;
        struct str s = status_at(text.p + i);
        if (s.p && (first.p == NULL || (*first.p == '4' && *s.p == '5'))) first = s;
    }
    return first;
}

/* Returns the place of a reply code of class 5 or 4, as in "550 unknown" or "554-5.7.1", or NULL. */
static const char *guess_code(struct str text) {
    for (size_t i = 0; i + 4 < text.n; i++) {
        const char *p = text.p + i;
        if ((*p != '5' && *p != '4') || p[1] < '0' || p[1] > '5' || !is_decimal(p[2]) ||
            (p[3] != ' ' && p[3] != '-'))
            continue;
        if (i == 0 || in_set(p[-1], " :;<>(\"'")) return p;
    }
    return NULL;
}

/* Returns printable ASCII on one line, from the beginning of the sentence or line. */
static struct str guess_reason(struct arena *a, struct str text, const char *at) {
    const char *end = text.p + text.n;
    if (at == NULL) at = text.p;
    char *out = arena_bytes(a, REASON_MOST);
    size_t n = 0;
    for (; at < end && n < REASON_MOST; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x80) out[n++] = (char)c;
        else if ((c & 0xC0) == 0xC0) out[n++] = '?';
    }
    return str_trim((struct str){out, n});
}

/* ---- classes --------------------------------------------------------------------------------- */

/* clang-format off */
static const struct phrase of_dropped[] = {
    {"suppress", 1}, {"dropped", 1}, {"discarded", 1}, {0}};
static const struct phrase of_blocked[] = {
    {"spam", 1}, {"blocked", 1}, {"blacklist", 1}, {"blocklist", 1}, {"block list", 1}, {"black list", 1}, {"policy", 1},
    {"access denied", 1}, {"reputation", 1}, {"dmarc", 1}, {"spf ", 1}, {"not authorized", 1}, {"not permitted", 1}, {"virus", 1},
    {"banned", 1}, {"dnsbl", 1}, {"spamhaus", 1}, {"content rejected", 1}, {"prohibited", 1}, {"unsolicited", 1}, {"relay", 1}, {"拒", 1},
    {"垃圾", 1}, {0}};
static const struct phrase of_expired[] = {
    {"expired", 1}, {"retry time", 1}, {"too long", 1}, {"in the queue", 1}, {"giving up", 1}, {"timed out", 1}, {"timeout", 1},
    {"could not be delivered for", 1}, {"message could not be delivered within", 1}, {0}};
static const struct phrase of_unknown[] = {
    {"user", 1}, {"mailbox", 1}, {"recipient", 1}, {"address", 1}, {"account", 1}, {"quota", 1}, {0}};

/* clang-format on */
enum reject_type reject_type_of(struct str status, struct str text) {
    char room[2000];
    size_t n = text.n < sizeof room - 1 ? text.n : sizeof room - 1;
    for (size_t i = 0; i < n; i++)
        room[i] = (char)(text.p[i] >= 'A' && text.p[i] <= 'Z' ? text.p[i] + 'a' - 'A' : text.p[i]);
    room[n] = 0;
    struct str said = {room, n};
    char class = status.n > 2 ? status.p[0] : 0, subject = status.n > 2 ? status.p[2] : 0;
    if (phrase_in(said, of_dropped)) return REJECT_DROPPED;
    if (subject == '1' || subject == '2') return class == '4' ? REJECT_DEFERRED : REJECT_BOUNCE;
    if (subject == '7' || phrase_in(said, of_blocked)) return REJECT_BLOCKED;
    if ((status.n == 5 && memcmp(status.p + 1, ".4.7", 4) == 0) || phrase_in(said, of_expired))
        return REJECT_EXPIRED;
    if (class == '4') return REJECT_DEFERRED;
    if (subject >= '3' && subject <= '6' && !phrase_in(said, of_unknown)) return REJECT_ERROR;
    return REJECT_BOUNCE;
}

/* ---- the guess ------------------------------------------------------------------------------- */

struct guess_signs {
    struct str subject, text;
    int sender; /* points of the name and address; 3: a mail system */
    int said_in_subject, said_in_text;
    int opening;    /* points of the strongest phrase of the first line; 9: only a mail system writes it */
    const char *at; /* the strongest phrase of the text */
    bool answers;   /* "Re:", "Fwd:": a person sent it */
    bool personal, greets;
    bool absent, closed, arrived, delayed;
};

/* A word must begin at a word: "mta" is not a sign in "emta". */
static int sender_points(struct arena *a, const struct incoming *m) {
    struct str from = guess_text(a,
                                 STR_CAT(a, m->from.name.p ? m->from.name : S(""), S(" "),
                                         m->from.address.p ? m->from.address : S("")),
                                 600);
    int points = 0;
    for (const struct phrase *p = of_senders; p->text; p++) {
        const char *found = from.n ? strstr(from.p, p->text) : NULL;
        bool begins = found && (found == from.p || in_set(found[-1], " <\"'(._-@=+"));
        if (begins && p->points > points) points = p->points;
    }
    return points + (m->from.address.p == NULL ? 1 : 0);
}

static bool subject_answers(struct str subject) {
    static const char *const begins[] = {
        "re:", "fw:", "fwd:", "aw:", "wg:", "tr:", "rv:", "r:", "sv:", "antw:", "回复", "转发", "答复"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (str_starts(subject, str_of(begins[i]))) return true;
    return false;
}

static void find_phrases(struct arena *a, struct str text, struct guess_signs *g) {
    struct phrase_hit hit;
    struct str own = guess_text(a, text, GUESS_TEXT), head = guess_text(a, text, GUESS_HEAD),
               opening = guess_text(a, text, GUESS_OPENING);
    g->said_in_text = phrase_points(g->text, of_texts, &hit);
    g->at = hit.at;
    phrase_points(opening, of_texts, &hit);
    g->opening = hit.best;
    g->personal = phrase_in(own, of_people);
    g->greets = phrase_begins(own, of_greetings);
    g->absent = phrase_in(g->subject, of_absence) || phrase_in(head, of_absence);
    g->closed = phrase_in(own, of_closed);
    g->arrived = phrase_begins(g->subject, of_arrived_subjects) || phrase_in(g->subject, of_arrival) ||
                 (g->said_in_subject == 0 && phrase_in(own, of_arrival));
    g->delayed = phrase_in(g->subject, of_delay) || phrase_in(own, of_delay);
}

static struct guess_signs guess_signs_of(struct arena *a, const struct incoming *m) {
    struct str text = m->text.p ? m->text : S(""), quoted = m->quoted.p ? m->quoted : S("");
    if (text.n > GUESS_TEXT) text.n = GUESS_TEXT;
    if (quoted.n > GUESS_TEXT) quoted.n = GUESS_TEXT;
    struct guess_signs g = {.subject = guess_text(a, m->subject.p ? m->subject : S(""), 500),
                            .text = guess_text(a, STR_CAT(a, text, S("\n"), quoted), SIZE_MAX)};
    struct phrase_hit unused;
    g.sender = sender_points(a, m);
    g.said_in_subject = phrase_points(g.subject, of_subjects, &unused);
    g.answers = subject_answers(g.subject);
    find_phrases(a, unquoted_text(a, text), &g);
    return g;
}

static void guess_fill(struct arena *a, const struct guess_signs *g, struct bounce_guess *out) {
    const char *code = guess_code(g->text);
    *out = (struct bounce_guess){.status = guess_status(g->text), .delayed = g->delayed};
    if (code == NULL) code = out->status.p;
    out->reason =
        g->text.n ? guess_reason(a, g->text, code ? code : g->at) : guess_reason(a, g->subject, NULL);
    if (out->reason.n == 0) out->reason = S("the notice gives no reason");
    out->type = reject_type_of(out->status, out->reason);
}

static bool is_automatic_answer(const struct incoming *m) {
    return str_starts(m->signs.auto_submitted.p ? m->signs.auto_submitted : S(""), S("auto-replied")) ||
           m->signs.autoreply.n || (m->envelope_from.p && m->envelope_from.n == 0);
}

/* A person may have the address postmaster, too. */
static bool mail_system_says(const struct guess_signs *g, int text) {
    if (g->absent && text < 7) return false;
    if ((g->answers || (g->personal && g->sender == 3)) && g->opening < 8) return false;
    return (g->said_in_subject >= 4 && text >= 1) || text >= 6 || g->said_in_subject + text >= 7;
}

static bool stranger_says(const struct guess_signs *g, int text) {
    if (g->absent || g->answers || g->personal || g->greets) return false;
    return g->opening >= 9 && (g->said_in_subject >= 4 || text >= 14);
}

bool bounce_looks_like(struct arena *a, const struct incoming *m, struct bounce_guess *out) {
    struct guess_signs g = guess_signs_of(a, m);
    bool has_code = guess_code(g.text) || guess_status(g.text).p;
    int text = g.said_in_text + (has_code ? 2 : 0);
    guess_fill(a, &g, out);
    if (g.arrived && text < 9) return false;
    if (is_automatic_answer(m) && g.closed && g.sender < 4) return !g.answers || g.absent;
    if (g.sender >= 3) return mail_system_says(&g, text);
    if (m->signs.list_id.n) return false;
    return stranger_says(&g, text);
}

bool bounce_at_return_path(struct arena *a, const struct incoming *m, struct bounce_guess *out) {
    struct guess_signs g = guess_signs_of(a, m);
    guess_fill(a, &g, out);
    if (g.arrived && g.said_in_text < 9) return false;
    if (!g.absent && !(m->signs.autoreply.n && g.said_in_text < 6)) return true;
    return g.closed || (g.said_in_subject >= 4 && g.said_in_text >= 4);
}
