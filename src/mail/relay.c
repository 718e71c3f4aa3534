#include "mail/relay.h"

#include "core/desk/setting.h"
#include "core/letters/letter.h"

struct relay relay_of(const struct desk *d, struct arena *a) {
    return (struct relay){.host = setting_text(d, "mail.smtp_host", a),
                          .port = setting_int(d, "mail.smtp_port"),
                          .security = setting_word(d, "mail.smtp_security"),
                          .user = setting_text(d, "mail.smtp_user", a),
                          .password = setting_secret(d, "mail.smtp_password", a),
                          .ca = setting_text(d, "mail.smtp_ca", a),
                          .hello = letter_host(d, a),
                          .timeout_s = setting_int(d, "mail.smtp_timeout_seconds")};
}
