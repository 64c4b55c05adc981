import type { JsonObject } from '../model/json.ts'
import { createRandom } from './random.ts'
import type { EventTypeRow, ProjectData, ProjectRow } from './rows.ts'
import { ulid } from './ulid.ts'

type CataloguedData = Pick<ProjectData, 'eventTypes' | 'subscriptions'>

/** The catalogue of a project, newest first: `*`, and each event type that a subscription ever named. */
export function catalogueOf(project: ProjectRow, { eventTypes = [], subscriptions }: CataloguedData): EventTypeRow[] {
  const names = new Set(eventTypes.map(({ name }) => name))
  const named = subscriptions.flatMap(({ filter_config }) => filter_config.event_types)
  const fresh = [...new Set(['*', ...named])].filter((name) => !names.has(name)).sort()
  return [...fresh.reverse().map((name) => anEventType(project, name)), ...eventTypes]
}

/** As the service adds it by itself: with nothing but a name. */
function anEventType({ uid, created_at }: ProjectRow, name: string): EventTypeRow {
  const random = createRandom(`${uid}/event-type/${name}`)
  return {
    uid: ulid(Date.parse(created_at), random),
    name,
    category: '',
    json_schema: name === '*' ? {} : null,
    description: '',
    deprecated_at: null,
  }
}

/** An item of the catalogue. */
export function renderEventType({ uid, name, category, json_schema, description, deprecated_at }: EventTypeRow) {
  return { uid, name, category, json_schema, description, deprecated_at } satisfies JsonObject
}
