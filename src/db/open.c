/* The choice of the engine. */
#include "db/engine.h"

int db_open_with(const struct db_config *cfg, const struct schema_file *files, struct db **out,
                 struct why why) {
    return db_open_on(cfg->url ? &postgres_engine : &sqlite_engine, cfg, files, out, why);
}

int db_open(const struct db_config *cfg, struct db **out, char *err, size_t err_size) {
    return db_open_with(cfg, schema_files, out, (struct why){err, err_size});
}
