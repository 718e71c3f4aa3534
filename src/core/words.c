#include "core/words.h"

const struct word role_types[] = {{ROLE_CUSTOMER, "CUSTOMER"}, {ROLE_COLLABORATOR, "COLLABORATOR"},
                                  {ROLE_AGENT, "AGENT"},       {ROLE_ADMIN, "ADMIN"},
                                  {ROLE_OWNER, "OWNER"},       {0}};
const struct word case_accesses[] = {{CASES_SELF, "SELF"}, {CASES_TEAMS, "TEAMS"}, {CASES_ALL, "ALL"}, {0}};
const struct word organization_accesses[] = {
    {ORGANIZATION_REQUESTED, "REQUESTED"}, {ORGANIZATION_ALL, "ORGANIZATION"}, {0}};
const struct word section_visibilities[] = {
    {SECTION_PUBLIC, "PUBLIC"}, {SECTION_AUTHORIZED, "AUTHORIZED"}, {SECTION_AGENTS, "AGENTS"}, {0}};
const struct word article_orders[] = {
    {ARTICLES_LATEST, "LATEST"}, {ARTICLES_POPULAR, "POPULAR"}, {ARTICLES_MANUAL, "MANUAL"}, {0}};
const struct word article_statuses[] = {{ARTICLE_DRAFT, "DRAFT"},
                                        {ARTICLE_PENDING_APPROVAL, "PENDINGAPPROVAL"},
                                        {ARTICLE_PUBLISHED, "PUBLISHED"},
                                        {0}};
const struct word comment_statuses[] = {{COMMENT_PUBLISHED, "PUBLISHED"}, {COMMENT_SPAM, "SPAM"}, {0}};
const struct word status_types[] = {{STATUS_NEW, "NEW"},
                                    {STATUS_OPEN, "OPEN"},
                                    {STATUS_PENDING, "PENDING"},
                                    {STATUS_COMPLETED, "COMPLETED"},
                                    {STATUS_CLOSED, "CLOSED"},
                                    {STATUS_CUSTOM, "CUSTOM"},
                                    {0}};
const struct word case_states[] = {
    {CASE_ACTIVE, "ACTIVE"}, {CASE_SUSPENDED, "SUSPENDED"}, {CASE_TRASH, "TRASH"}, {0}};
const struct word channels[] = {{CHANNEL_MAIL, "MAIL"},         {CHANNEL_HELPCENTER, "HELPCENTER"},
                                {CHANNEL_TWITTER, "TWITTER"},   {CHANNEL_MESSENGER, "MESSENGER"},
                                {CHANNEL_FACEBOOK, "FACEBOOK"}, {0}};
const struct word sources[] = {{SOURCE_API, "API"},
                               {SOURCE_AGENT, "AGENT"},
                               {SOURCE_MAIL, "MAIL"},
                               {SOURCE_MESSENGER, "MESSENGER"},
                               {SOURCE_MOBILE, "MOBILE"},
                               {SOURCE_HELPCENTER, "HELPCENTER"},
                               {0}};
const struct word message_statuses[] = {{MESSAGE_SENT, "SENT"},
                                        {MESSAGE_DELIVERED, "DELIVERED"},
                                        {MESSAGE_REJECTED, "REJECTED"},
                                        {MESSAGE_SEEN, "SEEN"},
                                        {0}};
const struct word rating_scores[] = {{RATING_GOOD, "GOOD"}, {RATING_BAD, "BAD"}, {0}};
const struct word rating_statuses[] = {
    {RATING_UNOFFERED, "UNOFFERED"}, {RATING_OFFERED, "OFFERED"}, {RATING_RECEIVED, "RECEIVED"}, {0}};
/* A note is a post of its own channel. A conversation has it if a note opened it. */
const struct word post_channels[] = {{CHANNEL_MAIL, "MAIL"},
                                     {CHANNEL_HELPCENTER, "HELPCENTER"},
                                     {CHANNEL_TWITTER, "TWITTER"},
                                     {CHANNEL_MESSENGER, "MESSENGER"},
                                     {CHANNEL_FACEBOOK, "FACEBOOK"},
                                     {CHANNEL_NOTE, "NOTE"},
                                     {0}};
/* Notes and activities are NOT_SENT. */
const struct word post_statuses[] = {{MESSAGE_SENT, "SENT"},         {MESSAGE_DELIVERED, "DELIVERED"},
                                     {MESSAGE_REJECTED, "REJECTED"}, {MESSAGE_SEEN, "SEEN"},
                                     {MESSAGE_NOT_SENT, "NOT_SENT"}, {0}};
const struct word note_colors[] = {
    {NOTE_YELLOW, "YELLOW"}, {2, "BLUE"}, {3, "GREEN"}, {4, "RED"},   {5, "ORANGE"},
    {6, "PURPLE"},           {7, "PINK"}, {8, "GRAY"},  {9, "WHITE"}, {0}};
const struct word reject_types[] = {{REJECT_BOUNCE, "BOUNCE"},
                                    {REJECT_BLOCKED, "BLOCKED"},
                                    {REJECT_DROPPED, "DROPPED"},
                                    {REJECT_DEFERRED, "DEFERRED"},
                                    {REJECT_EXPIRED, "EXPIRED"},
                                    {REJECT_ERROR, "ERROR"},
                                    {0}};
const struct word job_statuses[] = {{JOB_PENDING, "PENDING"},
                                    {JOB_RUNNING, "RUNNING"},
                                    {JOB_COMPLETED, "COMPLETED"},
                                    {JOB_FAILED, "FAILED"},
                                    {0}};
const struct word phone_types[] = {
    {PHONE_NONE, "NONE"}, {PHONE_HOME, "HOME"}, {PHONE_WORK, "WORK"}, {PHONE_MOBILE, "MOBILE"}, {0}};
const struct word case_type_types[] = {{1, "QUESTION"}, {2, "TASK"},   {3, "PROBLEM"},
                                       {4, "INCIDENT"}, {5, "CUSTOM"}, {0}};
const struct word smtp_securities[] = {
    {SMTP_PLAIN, "NONE"}, {SMTP_STARTTLS, "STARTTLS"}, {SMTP_TLS, "TLS"}, {0}};
const struct word time_formats[] = {{1, "24hour"}, {2, "12hour"}, {0}};
const struct word field_kinds[] = {{FIELD_TEXT, "TEXT"},
                                   {FIELD_TEXTAREA, "TEXTAREA"},
                                   {FIELD_CHECKBOX, "CHECKBOX"},
                                   {FIELD_RADIO, "RADIO"},
                                   {FIELD_SELECT, "SELECT"},
                                   {FIELD_DATE, "DATE"},
                                   {FIELD_FILE, "FILE"},
                                   {FIELD_NUMERIC, "NUMERIC"},
                                   {FIELD_DECIMAL, "DECIMAL"},
                                   {FIELD_YESNO, "YESNO"},
                                   {FIELD_CASCADINGSELECT, "CASCADINGSELECT"},
                                   {FIELD_REGEX, "REGEX"},
                                   {FIELD_SUBJECT, "SUBJECT"},
                                   {FIELD_REQUESTER, "REQUESTER"},
                                   {FIELD_TEAM, "TEAM"},
                                   {FIELD_ASSIGNEE, "ASSIGNEE"},
                                   {FIELD_STATUS, "STATUS"},
                                   {FIELD_TYPE, "TYPE"},
                                   {FIELD_PRIORITY, "PRIORITY"},
                                   {0}};
const struct word template_apps[] = {
    {TEMPLATE_MAIL, "MAIL"}, {TEMPLATE_PAGE, "PAGE"}, {TEMPLATE_SITE, "HELPCENTER"}, {0}};
const struct word category_icons[] = {{CATEGORY_BOOK, "BOOK"},
                                      {CATEGORY_CARD, "CARD"},
                                      {CATEGORY_BOX, "BOX"},
                                      {CATEGORY_PERSON, "PERSON"},
                                      {CATEGORY_LOCK, "LOCK"},
                                      {CATEGORY_SETTINGS, "SETTINGS"},
                                      {CATEGORY_CHAT, "CHAT"},
                                      {CATEGORY_PHONE, "PHONE"},
                                      {CATEGORY_CHART, "CHART"},
                                      {CATEGORY_START, "START"},
                                      {CATEGORY_STAR, "STAR"},
                                      {CATEGORY_QUESTION, "QUESTION"},
                                      {0}};
const struct word brand_themes[] = {{THEME_BOLD, "BOLD"}, {THEME_CALM, "CALM"}, {THEME_PAPER, "PAPER"}, {0}};
const struct word template_categories[] = {{TEMPLATE_IDENTITY, "IDENTITY"},
                                           {TEMPLATE_ACCOUNT, "ACCOUNT"},
                                           {TEMPLATE_CASE, "CASE"},
                                           {TEMPLATE_HELP_CENTER, "HELPCENTER"},
                                           {0}};
const struct word sla_target_types[] = {{SLA_FIRST_REPLY, "FIRST_REPLY_TIME"},
                                        {SLA_NEXT_REPLY, "NEXT_REPLY_TIME"},
                                        {SLA_RESOLUTION, "RESOLUTION_TIME"},
                                        {0}};
const struct word sla_hours[] = {
    {SLA_BUSINESS_HOURS, "BUSINESS_HOURS"}, {SLA_CALENDAR_HOURS, "CALENDAR_HOURS"}, {0}};
const struct word activity_names[] = {{USER_CREATED, "USER_CREATED"},
                                      {USER_UPDATED, "USER_UPDATED"},
                                      {USER_DELETED, "USER_DELETED"},
                                      {USER_MAIL_FAILED, "USER_MAIL_FAILED"},
                                      {ORGANIZATION_CREATED, "ORGANIZATION_CREATED"},
                                      {ORGANIZATION_UPDATED, "ORGANIZATION_UPDATED"},
                                      {ORGANIZATION_DELETED, "ORGANIZATION_DELETED"},
                                      {CASE_CREATED, "CASE_CREATED"},
                                      {CASE_UPDATED, "CASE_UPDATED"},
                                      {CASE_DELETED, "CASE_DELETED"},
                                      {CASE_RULE_FIRED, "CASE_RULE_FIRED"},
                                      {0}};
const struct word mail_statuses[] = {{MAIL_QUEUED, "QUEUED"},
                                     {MAIL_SENT, "SENT"},
                                     {MAIL_HELD, "HELD"},
                                     {MAIL_REFUSED, "REFUSED"},
                                     {MAIL_FAILED, "FAILED"},
                                     {MAIL_BOUNCED, "BOUNCED"},
                                     {0}};
const struct word logo_types[] = {{LOGO_JPEG, "JPEG"}, {LOGO_PNG, "PNG"}, {LOGO_GIF, "GIF"}, {0}};
const struct word endpoint_types[] = {
    {ENDPOINT_EMAIL, "EMAIL"}, {ENDPOINT_SLACK, "SLACK"}, {ENDPOINT_HTTP, "HTTP"}, {0}};
const struct word endpoint_methods[] = {{ENDPOINT_GET, "GET"},       {ENDPOINT_POST, "POST"},
                                        {ENDPOINT_PUT, "PUT"},       {ENDPOINT_PATCH, "PATCH"},
                                        {ENDPOINT_DELETE, "DELETE"}, {0}};
const struct word endpoint_contents[] = {{CONTENT_JSON, "application/json"},
                                         {CONTENT_XML, "application/xml"},
                                         {CONTENT_FORM, "application/x-www-form-urlencoded"},
                                         {CONTENT_TEXT, "text/plain"},
                                         {0}};
const struct word delivery_statuses[] = {
    {DELIVERY_PENDING, "PENDING"}, {DELIVERY_SENT, "SENT"}, {DELIVERY_FAILED, "FAILED"}, {0}};
const struct word attempt_results[] = {{ATTEMPT_SUCCESS, "SUCCESS"}, {ATTEMPT_FAILURE, "FAILURE"}, {0}};

const struct word incoming_statuses[] = {{INCOMING_RECEIVED, "RECEIVED"},
                                         {INCOMING_PROCESSING, "PROCESSING"},
                                         {INCOMING_SUCCESS, "SUCCESS"},
                                         {INCOMING_FAILED, "FAILED"},
                                         {INCOMING_REJECTED, "REJECTED"},
                                         {INCOMING_SUSPENDED, "SUSPENDED"},
                                         {0}};
const struct word suspensions[] = {{SUSPENDED_INVALID_EMAIL_HEADERS, "INVALID_EMAIL_HEADERS"},
                                   {SUSPENDED_NO_FROM_ADDRESS, "NO_FROM_ADDRESS"},
                                   {SUSPENDED_INVALID_FROM_ADDRESS, "INVALID_FROM_ADDRESS"},
                                   {SUSPENDED_SOURCE_IS_MAILBOX, "SOURCE_IS_MAILBOX"},
                                   {SUSPENDED_LOOP_DETECTED, "LOOP_DETECTED"},
                                   {SUSPENDED_BLOCKLISTED_EMAIL, "BLOCKLISTED_EMAIL"},
                                   {SUSPENDED_DELIVERY_FAILED, "DELIVERY_FAILED"},
                                   {SUSPENDED_MAILER_DAEMON, "MAILER_DAEMON"},
                                   {SUSPENDED_OUT_OF_OFFICE_EMAIL, "OUT_OF_OFFICE_EMAIL"},
                                   {SUSPENDED_AUTOMATED_EMAIL, "AUTOMATED_EMAIL"},
                                   {SUSPENDED_SOURCE_IS_NOREPLY, "SOURCE_IS_NOREPLY"},
                                   {SUSPENDED_SPAM, "SPAM"},
                                   {SUSPENDED_INVALID_CASE_TOKEN, "INVALID_CASE_TOKEN"},
                                   {SUSPENDED_UNREGISTERED_USER, "UNREGISTERED_USER"},
                                   {SUSPENDED_UNVERIFIED_EMAIL, "UNVERIFIED_EMAIL"},
                                   {SUSPENDED_NOT_PARTICIPANT, "NOT_PARTICIPANT"},
                                   {0}};
const struct word mail_doors[] = {{DOOR_PIPE, "PIPE"}, {DOOR_LMTP, "LMTP"}, {DOOR_IMAP, "IMAP"}, {0}};
const struct word mail_verdicts[] = {{VERDICT_NONE, "NONE"},
                                     {VERDICT_PASS, "PASS"},
                                     {VERDICT_FAIL, "FAIL"},
                                     {VERDICT_SOFTFAIL, "SOFTFAIL"},
                                     {VERDICT_NEUTRAL, "NEUTRAL"},
                                     {VERDICT_ERROR, "ERROR"},
                                     {0}};
