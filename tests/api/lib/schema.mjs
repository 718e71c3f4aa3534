import assert from 'node:assert/strict';

// Checks values against the JSON schemas of /openapi.json. It reads a schema while it checks, because a test file uses each schema
// a few times, and a library that compiles them needs more CPU for that than for all else. openapi.test.mjs compares it with such a library.

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const length = (text) => [...text].length; // in characters, not in units of UTF-16

const TYPES = {
  null: (v) => v === null,
  boolean: (v) => typeof v === 'boolean',
  integer: Number.isInteger,
  number: (v) => typeof v === 'number',
  string: (v) => typeof v === 'string',
  array: Array.isArray,
  object: isObject,
};

const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]+", LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const EMAIL = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${LABEL}$`, 'i');
const PART = "(?:[\\w.~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})*"; // a part of an address: RFC 3986
const URI = new RegExp(`^[a-z][a-z0-9+.-]*:(?://(?:${PART}@)?\\[[0-9a-f:.]+\\])?${PART}(?:#${PART})?$`, 'i');
const DATE_TIME = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** Does the calendar have this date? */
function isDate(date) {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

const FORMATS = {
  'date-time': (v) => typeof v !== 'string' || isDate(DATE_TIME.exec(v)?.[1]),
  email: (v) => typeof v !== 'string' || EMAIL.test(v),
  int64: (v) => typeof v !== 'number' || Number.isInteger(v),
  password: () => true,
  uri: (v) => typeof v !== 'string' || URI.test(v),
};

/** Keywords that look at the value alone: does it follow the argument of the keyword? */
const TESTS = {
  type: (types, v) => [types].flat().some((type) => TYPES[type](v)),
  const: (only, v) => v === only,
  enum: (list, v) => list.includes(v),
  format: (format, v) => FORMATS[format](v), // throws if it is unknown
  minimum: (least, v) => typeof v !== 'number' || v >= least,
  maximum: (most, v) => typeof v !== 'number' || v <= most,
  minLength: (least, v) => typeof v !== 'string' || length(v) >= least,
  maxLength: (most, v) => typeof v !== 'string' || length(v) <= most,
  pattern: (source, v) => typeof v !== 'string' || new RegExp(source, 'u').test(v),
  maxItems: (most, v) => !Array.isArray(v) || v.length <= most,
  minItems: (least, v) => !Array.isArray(v) || v.length >= least,
};

/** Keywords that apply schemas: the check, the argument of the keyword, the value, the schema. */
const APPLIED = {
  $ref: (check, ref, value) => check.apply(check.resolve(ref), value),
  allOf: (check, schemas, value) => schemas.forEach((schema) => check.apply(schema, value)),
  anyOf: (check, schemas, value) => check.any(schemas, value),
  items: (check, schema, value) => Array.isArray(value) && value.forEach((item, i) => check.below(i, schema, item)),
  required(check, names, value) {
    if (check.partial || !isObject(value)) return;
    for (const name of names) if (!Object.hasOwn(value, name)) check.fault(`has no ${name}`);
  },
  properties(check, schemas, value) {
    if (!isObject(value)) return;
    for (const [name, schema] of Object.entries(schemas)) if (Object.hasOwn(value, name)) check.below(name, schema, value[name]);
  },
  additionalProperties(check, schema, value, { properties = {} }) {
    if (!isObject(value)) return;
    for (const name of Object.keys(value)) if (!Object.hasOwn(properties, name)) check.below(name, schema, value[name]);
  },
};

const ANNOTATIONS = new Set(['contentMediaType', 'default', 'description', 'examples', 'title']);

class Check {
  constructor(resolve, partial) {
    Object.assign(this, { resolve, partial, place: [], faults: [] });
  }

  fault(what) { this.faults.push(`/${this.place.join('/')} ${what}`); }

  below(name, schema, value) {
    this.place.push(name);
    this.apply(schema, value);
    this.place.pop();
  }

  any(schemas, value) {
    const before = this.faults.length;
    for (const schema of schemas) {
      const here = this.faults.length;
      this.apply(schema, value);
      if (this.faults.length > here) continue;
      this.faults.length = before; // the faults of the others don't count
      return;
    }
  }

  apply(schema, value) {
    if (schema === false) this.fault('is not declared');
    if (typeof schema === 'boolean') return;
    for (const keyword of Object.keys(schema)) {
      const argument = schema[keyword];
      if (TESTS[keyword]) {
        if (!TESTS[keyword](argument, value)) this.fault(`does not follow ${keyword} ${JSON.stringify(argument)}`);
      } else if (APPLIED[keyword]) {
        APPLIED[keyword](this, argument, value, schema);
      } else {
        assert.ok(ANNOTATIONS.has(keyword), `tests/api/lib/schema.mjs does not know the keyword ${keyword}`);
      }
    }
  }
}

/** The defects of a value, [] if there are none. `resolve` returns the schema of a $ref. A partial value may lack required members. */
export function faults(schema, value, { resolve, partial = false }) {
  const check = new Check(resolve, partial);
  check.apply(schema, value);
  return check.faults;
}
