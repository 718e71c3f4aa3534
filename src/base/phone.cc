#include "base/phone.h"

#include <cstring>
#include <mutex>
#include <string>

#include <phonenumbers/logger.h>
#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>

using i18n::phonenumbers::NullLogger;
using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

/* Turns the library's logger off, because it would write numbers to standard output. */
static PhoneNumberUtil &silenced() {
    static std::once_flag once;
    PhoneNumberUtil &util = *PhoneNumberUtil::GetInstance();
    std::call_once(once, [&util] { util.SetLogger(new NullLogger); });
    return util;
}

static int parse(const std::string &number, std::string region, char *out) {
    PhoneNumberUtil &util = silenced();
    for (char &c : region)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    bool international = !number.empty() && number[0] == '+';
    bool known = util.GetCountryCodeForRegion(region) != 0;
    PhoneNumber parsed;
    std::string text;
    if (!international && !known) return -1;
    if (util.Parse(number, known ? region : "ZZ", &parsed) != PhoneNumberUtil::NO_PARSING_ERROR) return 0;
    if (!util.IsPossibleNumber(parsed)) return 0;
    util.Format(parsed, PhoneNumberUtil::E164, &text);
    if (text.size() >= PHONE_SIZE) return 0;
    std::memcpy(out, text.c_str(), text.size() + 1);
    return 1;
}

int phone_parse(const char *number, const char *region, char out[PHONE_SIZE]) {
    try {
        return parse(number, region, out);
    } catch (...) { return 0; }
}

static int national(const std::string &number, char *out) {
    PhoneNumberUtil &util = silenced();
    PhoneNumber parsed;
    std::string text;
    if (util.Parse(number, "ZZ", &parsed) != PhoneNumberUtil::NO_PARSING_ERROR) return 0;
    util.GetNationalSignificantNumber(parsed, &text);
    if (text.size() >= PHONE_SIZE) return 0;
    std::memcpy(out, text.c_str(), text.size() + 1);
    return 1;
}

int phone_national(const char *number, char out[PHONE_SIZE]) {
    try {
        return national(number, out);
    } catch (...) { return 0; }
}
