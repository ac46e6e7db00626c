import { isSchema, listOf, mapSchema, oncePerSchema } from '../wire/schema/json-schema.js';
import { toolSchema } from '../wire/schema/object-schema.js';

/** "Property keys should match pattern": a request with any other one is refused. */
const KEY = /^[\w.-]{1,64}$/;

/** A tool's parameters without the properties whose names this wire refuses: the tool stays usable where it does not need them. */
export const anthropicSchema = oncePerSchema((parameters) =>
  mapSchema(toolSchema(parameters), (schema) => {
    const { properties } = schema;
    if (!isSchema(properties) || Object.keys(properties).every((name) => KEY.test(name))) return schema;
    const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => KEY.test(name)));
    const required = listOf(schema.required).filter((name) => KEY.test(String(name)));
    return { ...schema, properties: kept, ...('required' in schema && { required }) };
  }),
);
