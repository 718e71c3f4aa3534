#include "mail/quote_words.h"

const char *const quote_words_own = "i wrote|schrieb ich|schrieb mir|schrieb uns|schreef ik|skrev jag|skrev "
                                    "jeg|j'ai écrit|j’ai écrit|m'a écrit|nous a écrit|escribí|me "
                                    "escribió|ho scritto|mi ha "
                                    "scritto|escrevi|napisałem|napisałam|kirjoitin|yazdım|я написал|я "
                                    "написала|мне написал|i have written|wrote to me|wrote me";

const struct quote_words quote_languages[] = {
    {
        .language = "en",
        .on = "on |at |in message ",
        .wrote_last = "wrote|writes|said|says|sent|has written",
        .wrote = "wrote on",
        .from = "from",
        .sent = "sent|sent at",
        .date = "date",
        .to = "to",
        .cc = "cc|copy",
        .subject = "subject",
        .original = "original message|original mail|original appointment|original e-mail|original "
                    "email|reply message|reply above this line|type your reply above|quoted text",
        .forwarded = "forwarded message|forwarded by|begin forwarded message|forwarded mail|forwarded email",
        .forward_prefix = "fwd:|fw:",
        .device = "sent from my |sent from mail|sent from outlook|sent from yahoo|sent from aol|sent from "
                  "proton|sent from gmail|sent from samsung|sent from android|sent from the all|sent from a "
                  "|sent from windows|sent from mobile|sent via |sent with |sent using |get outlook for|get "
                  "bluemail for|(sent from ",
    },
    {
        .language = "de",
        .on = "am |von: ",
        .wrote_last = "geschrieben|schrieb|schrieben sie|schreibt",
        .wrote = "schrieb|schrieb am",
        .from = "von|absender",
        .sent = "gesendet|gesendet am|gesendet um",
        .date = "datum",
        .to = "an|empfänger",
        .cc = "cc|kopie|kopie an",
        .subject = "betreff|thema",
        .original = "ursprüngliche nachricht|ursprüngliche mail|ursprüngliche e-mail|antwort "
                    "nachricht|originalnachricht|original-nachricht|originaltermin|oberhalb dieser "
                    "zeile|über dieser zeile",
        .forwarded = "weitergeleitete nachricht|weitergeleitete mail|weitergeleitete e-mail|anfang der "
                     "weitergeleiteten|weitergeleitet von",
        .forward_prefix = "wg:",
        .device = "von meinem |gesendet von|gesendet mit|gesendet über|diese nachricht wurde von "
                  "mein|outlook für |holen sie sich outlook|laden sie outlook",
    },
    {
        .language = "fr",
        .on = "le ",
        .wrote_last = "écrit|ecrit|écrivait|nous a dit",
        .wrote = NULL,
        .from = "de|expéditeur",
        .sent = "envoyé|envoye|envoyé le|envoyé à|envoyée",
        .date = "date|date d'envoi",
        .to = "à|a|destinataire",
        .cc = "cc|copie à|copie",
        .subject = "objet|sujet",
        .original = "message d'origine|message d’origine|message original|courriel d'origine|courriel "
                    "original|mail original|message initial|rendez-vous d'origine|au-dessus de cette "
                    "ligne|au dessus de cette ligne",
        .forwarded = "message transféré|message transmis|message réexpédié|début du message transféré|début "
                     "du message réexpédié|transféré par|mail transféré|courriel transféré",
        .forward_prefix = "tr:",
        .device = "envoyé de mon|envoyé depuis|envoyé à partir de|envoyé avec|envoyé via|télécharger "
                  "outlook|obtenez outlook|obtenir outlook|provenance : courrier",
    },
    {
        .language = "es",
        .on = "el |a las |en ",
        .wrote_last = "escribió|escribio|escribía|ha escrito|escribe",
        .wrote = NULL,
        .from = "de|remitente",
        .sent = "enviado|enviado el|enviada el|enviado a las",
        .date = "fecha",
        .to = "para|a|destinatario",
        .cc = "cc|copia",
        .subject = "asunto",
        .original = "mensaje original|correo original|mensaje de origen|encima de esta línea|por encima de "
                    "esta línea",
        .forwarded = "mensaje reenviado|inicio del mensaje reenviado|correo reenviado|reenviado por",
        .forward_prefix = "rv:|reenv:|rm:",
        .device = "enviado desde|enviado con |enviado por |obtener outlook|descargar outlook|obtén outlook",
    },
    {
        .language = "it",
        .on = "il |in data |alle ",
        .wrote_last = "ha scritto|scrive|scriveva",
        .wrote = NULL,
        .from = "da|mittente",
        .sent = "inviato|inviato il|inviata",
        .date = "data",
        .to = "a|destinatario",
        .cc = "cc|copia",
        .subject = "oggetto",
        .original = "messaggio originale|messaggio originario|mail originale|sopra questa riga|sopra questa "
                    "linea",
        .forwarded = "messaggio inoltrato|inizio messaggio inoltrato|inoltrato da",
        .forward_prefix = "i:|inoltra:",
        .device = "inviato da|inviato dal|inviato con|inviato tramite|scarica outlook|ottieni outlook",
    },
    {
        .language = "pt",
        .on = "em |no dia |a |às ",
        .wrote_last = "escreveu|escreveu o seguinte|escreve",
        .wrote = "escreveu",
        .from = "de|remetente",
        .sent = "enviado|enviada em|enviado em|enviada|enviado a",
        .date = "data",
        .to = "para",
        .cc = "cc|com cópia",
        .subject = "assunto",
        .original = "mensagem original|mensagem de origem|e-mail original|acima desta linha",
        .forwarded = "mensagem encaminhada|mensagem reencaminhada|início da mensagem encaminhada|início da "
                     "mensagem reencaminhada|encaminhado por|e-mail encaminhado",
        .forward_prefix = "enc:|res enc:",
        .device = "enviado do meu|enviado a partir d|enviado via |enviado do |enviado pelo |obter o "
                  "outlook|obter outlook|obtenha o outlook|baixar o outlook",
    },
    {
        .language = "nl",
        .on = "op ",
        .wrote_last = "het volgende geschreven|schreef|geschreven|schrijft",
        .wrote = "schreef|schreef op",
        .from = "van|afzender",
        .sent = "verzonden|verstuurd|verzonden op",
        .date = "datum",
        .to = "aan|ontvanger",
        .cc = "cc|kopie",
        .subject = "onderwerp",
        .original = "oorspronkelijk bericht|origineel bericht|oorspronkelijke bericht|originele "
                    "bericht|boven deze lijn|boven deze regel",
        .forwarded = "doorgestuurd bericht|begin doorgestuurd bericht|doorgestuurd door",
        .forward_prefix = "doorst:|dtrm:",
        .device = "verzonden vanaf|verstuurd vanaf|verzonden met|verzonden via|verstuurd met|verstuurd "
                  "via|outlook voor |download outlook|haal outlook",
    },
    {
        .language = "pl",
        .on = "w dniu |dnia |wiadomość napisana|we |w |pon., |wt., |śr., |czw., |pt., |sob., |niedz., ",
        .wrote_last = "napisał|napisała|napisał(a)|napisał/a|pisze|napisal|użytkownik napisał|wrote",
        .wrote = "wiadomość napisana przez",
        .from = "od|nadawca",
        .sent = "wysłano|wysłane|data wysłania",
        .date = "data",
        .to = "do|adresat",
        .cc = "dw|kopia",
        .subject = "temat",
        .original = "wiadomość oryginalna|oryginalna wiadomość|pierwotna wiadomość|wiadomość "
                    "pierwotna|oryginalny e-mail",
        .forwarded = "przekazana wiadomość|wiadomość przekazana|treść przekazanej wiadomości|początek "
                     "przekazywanej wiadomości|przesłana wiadomość",
        .forward_prefix = "pd:",
        .device = "wysłane z |wysłano z |wysłane przez |pobierz aplikację outlook|pobierz outlook",
    },
    {
        .language = "sv",
        .on = "den |på ",
        .wrote_last = "skrev|skriver|skrev följande",
        .wrote = "skrev",
        .from = "från|avsändare",
        .sent = "skickat|skickades",
        .date = "datum",
        .to = "till|mottagare",
        .cc = "kopia|cc",
        .subject = "ämne",
        .original = "ursprungligt meddelande|originalmeddelande|ursprungligt mail|ursprungligt "
                    "mejl|originalmail",
        .forwarded = "vidarebefordrat meddelande|vidarebefordrat brev|början på vidarebefordrat|början av "
                     "vidarebefordrat",
        .forward_prefix = "vb:|vbf:",
        .device = "skickat från|skickades från|skickat med|hämta outlook|skaffa outlook",
    },
    {
        .language = "da",
        .on = "den |på |d. ",
        .wrote_last = "skrev|skriver|skrev følgende|har skrevet",
        .wrote = "skrev",
        .from = "fra|afsender",
        .sent = "sendt|sendt den",
        .date = "dato",
        .to = "til|modtager",
        .cc = "cc|kopi",
        .subject = "emne",
        .original = "oprindelig meddelelse|oprindelig besked|oprindelig mail|oprindelig e-mail|original "
                    "meddelelse|original besked",
        .forwarded = "videresendt besked|videresendt meddelelse|videresendt mail|start på videresendt|start "
                     "på videresendt besked",
        .forward_prefix = "vs:",
        .device = "sendt fra|sendt med|sendt via|hent outlook|få outlook",
    },
    {
        .language = "nb",
        .on = "den |på |man. |tir. |ons. |tor. |fre. |lør. |søn. ",
        .wrote_last = "skrev|skreiv|skriver|skrev følgende|har skrevet",
        .wrote = "skrev|skreiv",
        .from = "fra|frå|avsender",
        .sent = "sendt",
        .date = "dato",
        .to = "til|mottaker",
        .cc = "kopi|cc",
        .subject = "emne",
        .original = "opprinnelig melding|original melding|opphavleg melding|opprinnelig e-post",
        .forwarded = "videresendt melding|videresendt e-post|start på videresendt melding|vidaresend "
                     "melding|begynnelsen på videresendt",
        .forward_prefix = "vs:",
        .device = "sendt fra|sendt frå|skaff outlook|last ned outlook|få outlook",
    },
    {
        .language = "fi",
        .on = "ma |ti |ke |to |pe |la |su ",
        .wrote_last = "kirjoitti|kirjoittaa|kirjoitti seuraavasti",
        .wrote = "kirjoitti",
        .from = "lähettäjä",
        .sent = "lähetetty|lähetysaika",
        .date = "päivämäärä|pvm|päiväys",
        .to = "vastaanottaja|saaja",
        .cc = "kopio|cc",
        .subject = "aihe|otsikko",
        .original = "alkuperäinen viesti|alkuperäinen sähköposti|alkuperäinen sanoma",
        .forwarded = "välitetty viesti|välitetty sanoma|edelleenlähetetty viesti|välitetty viesti alkaa",
        .forward_prefix = "vl:",
        .device = "lähetetty |hanki outlook|hae outlook",
    },
    {
        .language = "cs, sk",
        .on = "dne |dňa |v |ve |od |po |út |st |čt |pá |so |ne |ut |št |pi ",
        .wrote_last = "napsal|napsala|napsal(a)|napsal/a|napísal|napísala|napísal(a)|píše|odesílatel",
        .wrote = "odesílatel|používateľ",
        .from = "od|odesílatel|odosielateľ",
        .sent = "odesláno|odoslané|odoslaná",
        .date = "datum|dátum",
        .to = "komu|pro|příjemce",
        .cc = "kopie|kópia|cc",
        .subject = "předmět|predmet|věc",
        .original = "původní zpráva|pôvodná správa|původní e-mail|původní mail|originální zpráva",
        .forwarded = "přeposlaná zpráva|preposlaná správa|předaná zpráva|preposlaný mail|začátek přeposlané "
                     "zprávy|přeposlaný e-mail",
        .forward_prefix = "př:",
        .device = "odesláno z|odoslané z|odoslané zo|posláno z|získat outlook|získajte outlook|získejte "
                  "outlook",
    },
    {
        .language = "ru",
        .on = "пн, |вт, |ср, |чт, |пт, |сб, |вс, |в ",
        .wrote_last = "написал|написала|написал(а)|написал(-а)|написали|пишет|писал|писала|писал(а)",
        .wrote = "пользователь",
        .from = "от|от кого|отправитель",
        .sent = "отправлено|дата отправки",
        .date = "дата|когда",
        .to = "кому|получатель",
        .cc = "копия",
        .subject = "тема",
        .original = "исходное сообщение|оригинальное сообщение|исходное письмо|первоначальное "
                    "сообщение|выше этой строки",
        .forwarded = "пересылаемое сообщение|пересланное сообщение|пересылаемое письмо|начало "
                     "переадресованного сообщения|начало переадресованного|перенаправленное сообщение",
        .forward_prefix = "пересл:",
        .device = "отправлено с|отправлено из|отправлено через|получить outlook|скачать outlook",
    },
    {
        .language = "uk, be, bg",
        .on = "пн, |вт, |ср, |чт, |пт, |сб, |нд, |на ",
        .wrote_last = "пише|написав|написала|написав(ла)|писав|написа|напісаў",
        .wrote = NULL,
        .from = "від|від кого|ад|от",
        .sent = "надіслано|відправлено|изпратено|адпраўлена",
        .date = "дата",
        .to = "кому|до|каму",
        .cc = "копія|копие",
        .subject = "тема|тэма|относно",
        .original = "вихідне повідомлення|оригінальне повідомлення|початкове повідомлення|оригинално "
                    "съобщение|первинне повідомлення",
        .forwarded = "переслане повідомлення|переадресоване повідомлення|препратено съобщение|початок "
                     "переадресованого",
        .forward_prefix = "перес:",
        .device = "надіслано з|відправлено з|изпратено от|отримати outlook",
    },
    {
        .language = "tr",
        .on = NULL,
        .wrote_last = "yazdı|şunu yazdı|şunları yazdı|yazmış",
        .wrote = "şunları yazdı|şunu yazdı",
        .from = "kimden|gönderen",
        .sent = "gönderildi|gönderilme tarihi|gönderme tarihi|gönderilen",
        .date = "tarih",
        .to = "kime|alıcı",
        .cc = "bilgi|cc",
        .subject = "konu",
        .original = "orijinal mesaj|özgün ileti|orijinal ileti|orjinal mesaj|asıl ileti|özgün mesaj",
        .forwarded = "iletilen mesaj|yönlendirilen mesaj|iletilmiş ileti|iletilen ileti|yönlendirilmiş "
                     "ileti|iletilmiş mesaj",
        .forward_prefix = "ilt:",
        .device = "ios için outlook|android için outlook",
        .device_last = "gönderildi|gönderildi.|gönderilmiştir|gönderilmiştir.",
    },
    {
        .language = "ja",
        .on = NULL,
        .wrote_last = "のメール|のメッセージ|さんからのメッセージ|書きました|さんは書きました|wrote",
        .wrote = NULL,
        .from = "差出人|送信者|発信者|from",
        .sent = "送信日時|送信日",
        .date = "日時|日付",
        .to = "宛先|受信者",
        .cc = "cc|写し",
        .subject = "件名|題名",
        .original = "元のメッセージ|元のメール|オリジナルメッセージ|original message",
        .forwarded = "転送されたメッセージ|転送メッセージ|転送メール|ここから転送",
        .forward_prefix = "転送:|転送：",
        .device =
            "outlook for ios を入手|ios 版 outlook|android 版 outlook|iphoneから送信|ipadから送信|androidから送信",
        .device_last = "から送信|からの送信|から送信されました|からの送信です",
    },
    {
        .language = "zh",
        .on = "在 |于 |於 |在|于|於",
        .wrote_last = "写道|寫道|写到|寫到|写了|寫了|撰写|撰寫",
        .wrote = NULL,
        .from = "发件人|寄件者|發件人|寄件人|发送人|發送人",
        .sent = "发送时间|发送日期|寄件日期|發送時間|傳送時間|发送於|寄件時間|传送时间|已傳送",
        .date = "日期|日付|时间|時間",
        .to = "收件人|收件者",
        .cc = "抄送|副本",
        .subject = "主题|主旨|主題|标题|標題",
        .original =
            "原始邮件|原始郵件|原邮件|原郵件|原始信件|原始邮件信息|回复的原邮件|原始訊息|原始消息|邮件原件",
        .forwarded =
            "转发的邮件|转发邮件|转发邮件信息|轉寄郵件|轉寄的郵件|已转发的邮件|轉寄的訊息|轉寄訊息|转发的消息|开始转发的邮件|開始轉寄郵件",
        .forward_prefix = "转发:|转发：|轉寄:|轉寄：|轉發:|轉發：",
        .device =
            "发自我的|从我的|来自我的|發自我的|從我的|来自 |寄自我的|获取 outlook|取得 outlook|取得 ios|获取适用于|下载适用于|取得 android",
        .device_last = "傳送|傳送。",
    },
    {
        .language = "ko",
        .on = NULL,
        .wrote_last = "작성|님이 작성|작성함|쓴 글|이(가) 쓴 글|님의 말|작성한 메시지|께서 작성하신 메시지",
        .wrote = NULL,
        .from = "보낸 사람|보낸사람|발신|발신자|보낸이",
        .sent = "보낸 날짜|보낸날짜|보낸 시간",
        .date = "날짜|일시",
        .to = "받는 사람|받는사람|수신|받는이",
        .cc = "참조",
        .subject = "제목",
        .original = "원본 메시지|원본 메일|원본 이메일|원본메시지|original message",
        .forwarded = "전달된 메시지|전달된 메일|전달 메시지|전달된 이메일",
        .forward_prefix = "전달:",
        .device = "ios용 outlook|android용 outlook",
        .device_last = "에서 보냄|에서 전송|에서 보냈습니다|에서 보냈습니다.|다운로드",
    },
    {
        .language = "ar, fa",
        .on = "في |بتاريخ |يوم |در ",
        .wrote_last = "كتب|كتبت|كتب/كتبت|كتابة|نوشت|نوشته|كتب ما يلي",
        .wrote = "كتب|كتبت|تمت كتابة|كتابة ما يلي|نوشت",
        .from = "من|المرسل|از|فرستنده",
        .sent = "تاريخ الإرسال|تم الإرسال|أُرسلت|ارسال|ارسال شده",
        .date = "التاريخ|تاريخ|تاریخ",
        .to = "إلى|الى|المستلم|به|گیرنده",
        .cc = "نسخة|نسخة إلى|رونوشت",
        .subject = "الموضوع|موضوع",
        .original = "الرسالة الأصلية|رسالة أصلية|الرسالة الاصلية|پیام اصلی",
        .forwarded = "الرسالة المُعاد توجيهها|الرسالة المعاد توجيهها|رسالة معاد توجيهها|رسالة مُعاد "
                     "توجيهها|بداية الرسالة المعاد توجيهها|پیام هدایت شده",
        .forward_prefix = "إعادة توجيه:",
        .device = "أُرسلت من|أرسلت من|مرسل من|تم الإرسال من|تم إرساله من|ارسال شده از|الحصول على outlook",
    },
    {
        .language = "he",
        .on = "בתאריך |ב-|ביום ",
        .wrote_last = "כתב|כתבה|כתב/ה|כתב:ה|כתב(ה)|כתב/ה את הדברים הבאים",
        .wrote = "מאת|כתב",
        .from = "מאת|מ",
        .sent = "נשלח|נשלח ב",
        .date = "תאריך",
        .to = "אל|ל|נמען",
        .cc = "עותק|העתק",
        .subject = "נושא|הנדון",
        .original = "הודעה מקורית|ההודעה המקורית",
        .forwarded = "הודעה שהועברה|הודעה מועברת|תחילת הודעה מועברת",
        .forward_prefix = "הועבר:",
        .device = "נשלח מה|נשלח מ|קבל את outlook|הורד את outlook",
    },
    {
        .language = "hu",
        .on = NULL,
        .wrote_last = "írta|ezt írta|a következőt írta|írja",
        .wrote = "ezt írta|írta",
        .from = "feladó|küldő",
        .sent = "elküldve|küldve|küldés dátuma|küldés ideje",
        .date = "dátum",
        .to = "címzett",
        .cc = "másolatot kap|másolat",
        .subject = "tárgy",
        .original = "eredeti üzenet|eredeti levél|eredeti e-mail",
        .forwarded = "továbbított üzenet|továbbított levél|továbbított üzenet kezdete",
        .forward_prefix = "tov:|továbbítás:",
        .device = "outlook beszerzése|az iphone-omról|az ipademről",
        .device_last = "küldve|küldve.|beszerzése",
    },
    {
        .language = "ro",
        .on = "în |pe |la ",
        .wrote_last = "a scris|scrie|a scris următoarele",
        .wrote = NULL,
        .from = "de la|expeditor",
        .sent = "trimis|trimisă",
        .date = "data|dată",
        .to = "către|catre|destinatar",
        .cc = "cc|copie",
        .subject = "subiect",
        .original = "mesaj original|mesajul original|mesaj iniţial|mesaj inițial",
        .forwarded = "mesaj redirecționat|mesaj redirecţionat|mesaj redirectat|mesaj transmis mai "
                     "departe|mesaj înaintat",
        .forward_prefix = "redirecționat:",
        .device = "trimis de pe|trimis din|trimis prin|obțineți outlook|descărcați outlook",
    },
    {
        .language = "el",
        .on = "στις |την |στις",
        .wrote_last = "έγραψε|έγραψε τα εξής|γράφει",
        .wrote = NULL,
        .from = "από|αποστολέας",
        .sent = "στάλθηκε|εστάλη",
        .date = "ημερομηνία|ημ/νία",
        .to = "προς|παραλήπτης",
        .cc = "κοιν.|κοιν|κοινοποίηση",
        .subject = "θέμα",
        .original = "αρχικό μήνυμα|αρχικό e-mail|πρωτότυπο μήνυμα",
        .forwarded = "προωθημένο μήνυμα|προωθούμενο μήνυμα|έναρξη προωθημένου μηνύματος",
        .forward_prefix = "πρθ:",
        .device = "στάλθηκε από|αποστολή από|εστάλη από|λήψη του outlook|αποκτήστε το outlook",
    },
    {
        .language = "hr, sr, sl",
        .on = "dana |dne |u |dana, ",
        .wrote_last = "napisao je|napisala je|napisao/la je|je napisao|je napisala|je napisal|je "
                      "napisala/o|piše|пише|је написао",
        .wrote = "je oseba",
        .from = "šalje|pošiljatelj|pošiljalac|шаље",
        .sent = "poslano|poslato",
        .date = "datum|датум",
        .to = "prima|za",
        .cc = "kopija|kp",
        .subject = "predmet|naslov|zadeva|тема|tema",
        .original = "izvorna poruka|originalna poruka|izvirno sporočilo|оригинална порука",
        .forwarded = "proslijeđena poruka|prosleđena poruka|posredovano sporočilo|прослеђена порука",
        .forward_prefix = "prosl:",
        .device = "poslano s |poslano iz |poslato sa |poslano z ",
    },
    {
        .language = "et, lt, lv",
        .on = "kuupäev|",
        .wrote_last = "kirjutas|kirjutas järgmist|rašė|parašė|rakstīja",
        .wrote = "kirjutas|rašė|rakstīja",
        .from = "saatja|kellelt|siuntėjas|nuo|no",
        .sent = "saadetud|saatmisaeg|išsiųsta|nosūtīts",
        .date = "kuupäev|data|datums",
        .to = "adressaat|kellele|kam|gavėjas|iki",
        .cc = "koopia|kopija",
        .subject = "teema|tema|temats",
        .original = "algne kiri|originaalsõnum|originalus laiškas|pradinis pranešimas|sākotnējais "
                    "ziņojums|oriģinālā ziņa",
        .forwarded = "edastatud kiri|edastatud sõnum|persiųstas laiškas|pārsūtītā ziņa",
        .device = "saadetud minu|išsiųsta iš|nosūtīts no",
    },
    {
        .language = "ca, gl, eu",
        .on = "el dia |o ",
        .wrote_last = "va escriure|ha escrit|escribiu|idatzi du|escriu",
        .wrote = "missatge de|va escriure",
        .from = "de|nork",
        .sent = "enviat|enviat el|noiz|bidalia",
        .date = "data",
        .to = "per a|nori|a",
        .cc = "a/c",
        .subject = "assumpte|tema|gaia|asunto",
        .original = "missatge original|mensaxe orixinal|jatorrizko mezua",
        .forwarded = "missatge reenviat|mensaxe reenviada|birbidalitako mezua",
        .device = "enviat des |enviat des de|enviado dende",
    },
    {
        .language = "id, ms, vi, th, is",
        .on = "pada |vào |เมื่อ |þann ",
        .wrote_last = "menulis|menulis:|đã viết|viết|เขียนว่า|เขียน|skrifaði|telah menulis",
        .wrote = "skrifaði|menulis",
        .from = "dari|daripada|từ|จาก|frá",
        .sent = "dikirim|dihantar|terkirim|đã gửi|ส่ง|ส่งเมื่อ|sent kl.",
        .date = "tanggal|tarikh|ngày|วันที่|dagsetning",
        .to = "kepada|ke|đến|tới|ถึง|til|viðtakandi",
        .cc = "cc|salinan|đồng gửi|สำเนา|afrit",
        .subject = "subjek|perihal|perkara|chủ đề|tiêu đề|เรื่อง|หัวเรื่อง|efni",
        .original = "pesan asli|mesej asal|thư gốc|tin nhắn gốc|ข้อความต้นฉบับ|upprunaleg "
                    "skilaboð|upprunalegt skeyti",
        .forwarded = "pesan terusan|pesan yang diteruskan|mesej yang dimajukan|thư đã chuyển tiếp|tin nhắn "
                     "được chuyển tiếp|ข้อความที่ส่งต่อ|framsent skeyti",
        .device = "dikirim dari|terkirim dari|dihantar dari|đã gửi từ|được gửi từ|ส่งจาก|sent úr",
    },
    {0},
};

static const char *words_of(const struct quote_words *w, enum quote_list list) {
    switch (list) {
    case WORDS_ON: return w->on;
    case WORDS_WROTE_LAST: return w->wrote_last;
    case WORDS_WROTE: return w->wrote;
    case WORDS_ORIGINAL: return w->original;
    case WORDS_FORWARDED: return w->forwarded;
    case WORDS_FORWARD_PREFIX: return w->forward_prefix;
    case WORDS_DEVICE: return w->device;
    case WORDS_DEVICE_LAST: return w->device_last;
    }
    return NULL;
}

static bool is_a_word(struct str word, const char *words) {
    struct str rest = words ? str_of(words) : (struct str){0};
    while (rest.p)
        if (str_eq(str_cut(&rest, '|'), word)) return true;
    return false;
}

enum header_label header_label(struct str word) {
    for (const struct quote_words *w = quote_languages; w->language && word.n; w++) {
        const struct {
            enum header_label label;
            const char *words;
        } labels[] = {{LABEL_FROM, w->from}, {LABEL_SENT, w->sent}, {LABEL_DATE, w->date},
                      {LABEL_TO, w->to},     {LABEL_CC, w->cc},     {LABEL_SUBJECT, w->subject}};
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
            if (is_a_word(word, labels[i].words)) return labels[i].label;
    }
    return LABEL_NONE;
}

static bool joins_words(char c) { return c && in_set(c, "abcdefghijklmnopqrstuvwxyz0123456789-_/="); }

static bool has_whole_word(struct str text, struct str word) {
    const char *end = text.p + text.n;
    for (const char *p = text.p; word.n && (p = memmem(p, (size_t)(end - p), word.p, word.n)) != NULL; p++)
        if ((p == text.p || !joins_words(p[-1]) || !joins_words(*p)) &&
            (p + word.n == end || !joins_words(p[word.n]) || !joins_words(word.p[word.n - 1])))
            return true;
    return false;
}

bool has_word_of(struct str text, const char *words) {
    struct str rest = words ? str_of(words) : (struct str){0};
    while (rest.p)
        if (has_whole_word(text, str_cut(&rest, '|'))) return true;
    return false;
}

bool has_word(struct str text, enum quote_list list) {
    for (const struct quote_words *w = quote_languages; w->language; w++)
        if (has_word_of(text, words_of(w, list))) return true;
    return false;
}

static bool touches_word(struct str text, enum quote_list list, bool end) {
    for (const struct quote_words *w = quote_languages; w->language; w++) {
        struct str rest = words_of(w, list) ? str_of(words_of(w, list)) : (struct str){0};
        while (rest.p) {
            struct str word = str_cut(&rest, '|');
            if (word.n == 0 || word.n > text.n) continue;
            const char *at = end ? text.p + text.n - word.n : text.p;
            bool whole = at == text.p || !joins_words(at[-1]) || !joins_words(*at);
            if (whole && memcmp(at, word.p, word.n) == 0) return true;
        }
    }
    return false;
}

bool begins_word(struct str text, enum quote_list list) { return touches_word(text, list, false); }
bool ends_word(struct str text, enum quote_list list) { return touches_word(text, list, true); }
