#include "mail/quote_words.h"

const char *const words_wrote[] = {
    "wrote",      "writes",       "schrieb",    "a écrit", "a ecrit", "écrit",
    "escribió",   "escribio",     "ha scritto", "scrive",  "schreef", "het volgende geschreven",
    "escreveu",   "написал",      "написала",   "пишет",   "писал",   "написав",
    "書きました", "のメッセージ", "のメール",   "写道",    "寫道",    "写到",
    "كتب",        "كتابة",        "napisał",    "napisal", "napsal",  "skrev",
    "kirjoitti",  "yazdı",        "írta",       "a scris", "작성",    "כתב",
    "έγραψε",     "viết",         "menulis",    NULL,
};

const char *const words_original[] = {
    "original message",
    "original mail",
    "original appointment",
    "ursprüngliche nachricht",
    "ursprüngliche mail",
    "originalnachricht",
    "original-nachricht",
    "message d'origine",
    "message d’origine",
    "message original",
    "courriel d'origine",
    "mensaje original",
    "messaggio originale",
    "oorspronkelijk bericht",
    "mensagem original",
    "исходное сообщение",
    "оригинальное сообщение",
    "元のメッセージ",
    "original message",
    "原始邮件",
    "原始郵件",
    "原邮件",
    "الرسالة الأصلية",
    "wiadomość oryginalna",
    "ursprungligt meddelande",
    "oprindelig meddelelse",
    "reply message",
    "reply above this line",
    NULL,
};

const char *const words_forwarded[] = {
    "forwarded message",
    "forwarded by",
    "begin forwarded message",
    "weitergeleitete nachricht",
    "weitergeleitete mail",
    "anfang der weitergeleiteten",
    "message transféré",
    "message transmis",
    "début du message transféré",
    "début du message réexpédié",
    "mensaje reenviado",
    "inicio del mensaje reenviado",
    "messaggio inoltrato",
    "inizio messaggio inoltrato",
    "doorgestuurd bericht",
    "begin doorgestuurd bericht",
    "mensagem encaminhada",
    "início da mensagem encaminhada",
    "пересылаемое сообщение",
    "пересланное сообщение",
    "начало переадресованного сообщения",
    "転送されたメッセージ",
    "転送メッセージ",
    "forwarded message",
    "转发的邮件",
    "转发邮件",
    "轉寄郵件",
    "الرسالة المُعاد توجيهها",
    "الرسالة المعاد توجيهها",
    "رسالة معاد توجيهها",
    NULL,
};

const char *const words_device[] = {
    "sent from my ",
    "sent from mail for",
    "sent from outlook",
    "sent from yahoo",
    "sent from aol",
    "sent from proton",
    "sent from gmail",
    "sent from samsung",
    "sent from android",
    "sent from the all",
    "sent via ",
    "sent with proton",
    "sent using ",
    "get outlook for",
    "get bluemail for",
    "envoyé de mon",
    "envoyé depuis mon",
    "envoyé à partir de",
    "télécharger outlook",
    "obtenez outlook",
    "von meinem ",
    "gesendet von",
    "gesendet mit",
    "diese nachricht wurde von meinem",
    "outlook für ios",
    "outlook für android",
    "enviado desde mi",
    "enviado desde outlook",
    "enviado desde correo",
    "enviado desde yahoo",
    "obtener outlook",
    "inviato da",
    "inviato dal",
    "scarica outlook",
    "ottieni outlook",
    "verzonden vanaf mijn",
    "verstuurd vanaf mijn",
    "verzonden met",
    "outlook voor ios",
    "outlook voor android",
    "enviado do meu",
    "enviado a partir do",
    "enviado via ",
    "obter o outlook",
    "obter outlook",
    "отправлено с",
    "отправлено из",
    "iphoneから送信",
    "ipadから送信",
    "androidから送信",
    "outlook for ios を入手",
    "发自我的",
    "从我的",
    "来自我的",
    "發自我的",
    "获取 outlook",
    "أُرسلت من",
    "أرسلت من",
    "مرسل من",
    "wysłane z",
    "skickat från min",
    "sendt fra min",
    "lähetetty",
    NULL,
};

const char *const words_forward_prefixes[] = {
    "fwd:",  "fw:",    "wg:",   "tr:",    "rv:",   "reenv:", "i:",           "inoltra:", "enc:", "doorst:", "пересл:",
    "转发:", "转发：", "轉寄:", "轉寄：", "転送:", "転送：", "إعادة توجيه:", "pd:",      "vs:",  "vb:",     NULL,
};

/* ---- labels of headers ---------------------------------------------------------------------------------------------------- */

static const struct {
    enum header_label label;
    const char *words; /* separated by | */
} label_table[] = {
    {LABEL_FROM, "from|von|de|da|van|от|от "
                 "кого|отправитель|差出人|送信者|发件人|寄件者|發件人|寄件人|من|från|fra|lähettäjä|od|expéditeur|remitente|mittente|"
                 "afzender|remetente|absender"},
    {LABEL_DATE, "sent|date|gesendet|datum|envoyé|envoye|date d'envoi|enviado|enviado el|fecha|inviato|data|verzonden|verstuurd|enviada "
                 "em|enviado em|data:"
                 "|отправлено|дата|дата отправки|送信日時|日時|日付|发送时间|发送日期|時間|日期|时间|寄件日期|تاريخ الإرسال|التاريخ|تم "
                 "الإرسال|skickat|sendt|"
                 "lähetetty|wysłano|data wysłania|sent at"},
    {LABEL_TO, "to|an|à|a|para|aan|кому|宛先|收件人|收件者|إلى|till|til|vastaanottaja|do|destinataire|destinatario|ontvanger|empfänger"},
    {LABEL_CC, "cc|kopie|copie à|copia|kopie (cc)|копия|抄送|副本|نسخة|kopia|dw"},
    {LABEL_SUBJECT, "subject|betreff|objet|asunto|oggetto|onderwerp|assunto|тема|件名|主题|主旨|主題|الموضوع|ämne|emne|aihe|temat"},
};

enum header_label header_label(struct str word) {
    for (size_t i = 0; i < sizeof label_table / sizeof *label_table; i++) {
        struct str rest = str_of(label_table[i].words);
        while (rest.p)
            if (str_eq(str_cut(&rest, '|'), word)) return label_table[i].label;
    }
    return LABEL_NONE;
}

bool has_word(struct str text, const char *const *words) {
    for (; *words; words++)
        if (memmem(text.p, text.n, *words, strlen(*words))) return true;
    return false;
}

bool begins_word(struct str text, const char *const *words) {
    for (; *words; words++)
        if (str_starts(text, str_of(*words))) return true;
    return false;
}
