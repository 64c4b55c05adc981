import { z } from 'zod'
import type { Json, JsonObject } from './json.ts'
import { kinds, listings, walkedListings } from './resource.ts'

/** What JSON Schemas are published of, each under a name with its number; parts that others refer to have one, too. */
export const publishedSchemas = z.registry<{ readonly id: string }>()

/** A list that readers do not change. */
export const listOf = <Schema extends z.ZodType>(schema: Schema) => z.array(schema).readonly()

/** Any JSON, and any object of it. */
export const anyJson = z.custom<Json>(() => true)
export const anyObject = z.custom<JsonObject>(() => true).meta({ type: 'object' })

export const time = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/)
  .describe('ISO 8601 in UTC.')
export const count = z.int().min(0)
export const project = z.string().min(1).describe('service/project, as configured.')
export const uid = z.string().min(1)
export const name = z.string().describe('For people; empty when the service has none.')
export const pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)*$/)
  .describe('JSON Pointer (RFC 6901).')
export const fileLocation = z.object({ file: z.string(), line: z.int().min(1) })
export type FileLocation = z.infer<typeof fileLocation>
export const kind = z.enum(kinds)
export const listing = z.enum(listings)
export const walkedListing = z
  .enum(walkedListings)
  .describe("projects: the list of a service's projects. filters: the filter rows of subscriptions.")
