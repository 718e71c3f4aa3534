-- A reader of the change log finds the entries of a window by their transactions (src/core/change/log.c). On SQLite a window is a
-- range of ids.
@POSTGRES{
CREATE INDEX change_log_of_transactions ON change_log (xid);
}@
