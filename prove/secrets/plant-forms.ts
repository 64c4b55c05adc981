import type { JsonObject } from '../../src/model/json.ts'
import type { Canaries } from './canaries.ts'
import { assignments, credentials, disguises, type Form } from './forms.ts'
import { type Planted, rowOf, usual } from './plant-items.ts'

type Listing = keyof typeof usual

/** Puts a text into a resource. */
type Put = (text: string) => JsonObject

const oauth2 = (member: string): Put => {
  return (text) => ({ authentication: { type: 'oauth2', oauth2: { [member]: text } } })
}
function oauth2Key(member: string): Put {
  return (text) => ({ authentication: { type: 'oauth2', oauth2: { signing_key: { [member]: text } } } })
}

const filter = (part: string, put: (text: string) => JsonObject): Put => {
  return (text) => ({ filter_config: { event_types: ['*'], filter: { [part]: put(text) } } })
}
const queue = (type: string, put: (text: string) => JsonObject): Put => {
  return (text) => ({ type: 'pub_sub', pub_sub: { type, [type]: put(text) } })
}
const verifier = (member: string): Put => {
  return (text) => ({ verifier: { type: 'hmac', hmac: { secret: 'x'.repeat(40), [member]: text } } })
}

/** Places for words of people, by listing. */
const placesOfWords: Readonly<Record<Listing, Readonly<Record<string, Put>>>> = {
  endpoints: {
    name: (text) => ({ name: text }),
    description: (text) => ({ description: text }),
    'description, within a sentence': (text) => ({ description: `Orders of the shop; ${text} (ask the team first)` }),
    'description, on a line of its own': (text) => ({ description: `Orders of the shop.\n\n${text}\n\nAsk the team.` }),
    support_email: (text) => ({ support_email: text }),
    content_type: (text) => ({ content_type: text }),
    'a scope': oauth2('scope'),
    'the header of a key': (text) => ({ authentication: { type: 'api_key', api_key: { header_name: text } } }),
    'an unknown field': (text) => ({ zone: text }),
    'the name of an unknown field': (text) => ({ [text]: true }),
    'a name deep in an unknown field': (text) => ({ zones: { eu: { [text]: 1 } } }),
    'a step of the url': (text) => ({
      url: `https://a.example/hooks/${text.replace(/[/?#]/g, encodeURIComponent)}/in`,
    }),
    'a step of the url, encoded': (text) => ({ url: `https://a.example/hooks/${encodeURIComponent(text)}/in` }),
    'a parameter of the url': (text) => ({ url: `https://a.example/hooks?note=${encodeURIComponent(text)}` }),
  },
  sources: {
    'name of a source': (text) => ({ name: text }),
    'a broker': queue('kafka', (text) => ({ brokers: [text] })),
    'a topic': queue('kafka', (text) => ({ topic_name: text })),
    'a queue': queue('sqs', (text) => ({ queue_name: text })),
    'a virtual host': queue('amqp', (text) => ({ vhost: text })),
    'a host of AMQP': queue('amqp', (text) => ({ host: text })),
    'a header to forward': (text) => ({ forward_headers: [text] }),
    'a response': (text) => ({ custom_response: { body: text, content_type: 'text/plain' } }),
    'a comment of a function': (text) => ({ body_function: `/* ${text.replaceAll('*/', '')} */ f()` }),
    'a literal of a function': (text) => ({ body_function: `f(${JSON.stringify(text)})` }),
  },
  subscriptions: {
    'name of a subscription': (text) => ({ name: text }),
    'an event type': (text) => ({ filter_config: { event_types: [text], filter: {} } }),
    'a value of a filter': filter('body', (text) => ({ note: text })),
    'a name in a filter': filter('body', (text) => ({ [text]: 1 })),
    'a name deep in a filter': filter('body', (text) => ({ data: { $or: [{ [text]: 1 }] } })),
    'a header of a filter': filter('headers', (text) => ({ 'x-note': text })),
    'a threshold': (text) => ({ alert_config: { count: 1, threshold: text } }),
  },
  event_types: {
    'name of an event type': (text) => ({ name: text }),
    'category of an event type': (text) => ({ category: text }),
    'description of an event type': (text) => ({ description: text }),
    'a schema that is a text': (text) => ({ json_schema: text }),
    'a description in a schema': (text) => ({ json_schema: { description: text } }),
    'an example in a schema': (text) => ({ json_schema: { examples: [{ note: text }] } }),
    'a name in a schema': (text) => ({ json_schema: { properties: { [text]: { type: 'string' } } } }),
  },
}

const placesInRows: Readonly<Record<string, Put>> = {
  'the event type of a row': (text) => ({ event_type: text }),
  'a value in a row': (text) => ({ body: { note: text } }),
  'a name in a row': (text) => ({ body: { [text]: 1 } }),
  'a name deep in a row': (text) => ({ body: { data: { $or: [{ [text]: 1 }] } } }),
  'a header in a row': (text) => ({ headers: { 'x-note': text } }),
  'a parameter in a row': (text) => ({ query: { note: { $in: [text] } } }),
  'a step of the path in a row': (text) => ({ path: { '0': text } }),
}

/** Places for a word of a closed vocabulary, or an identifier of another service. */
const placesOfWord: Readonly<Record<Listing, Readonly<Record<string, Put>>>> = {
  endpoints: {
    'a signing algorithm': oauth2('signing_algorithm'),
    'a curve': oauth2Key('crv'),
    'a type of key': oauth2Key('kty'),
  },
  sources: {
    'a hash': verifier('hash'),
    'an encoding': verifier('encoding'),
    'a port': queue('amqp', (text) => ({ port: text })),
    'a scheme': queue('amqp', (text) => ({ schema: text })),
    'a type of authentication': queue('kafka', (text) => ({ auth: { type: text } })),
    'a hash of Kafka': queue('kafka', (text) => ({ auth: { hash: text } })),
    'a region': queue('sqs', (text) => ({ default_region: text })),
    'a project of Google': queue('google', (text) => ({ project_id: text })),
    'a subscription of Google': queue('google', (text) => ({ subscription_id: text })),
  },
  subscriptions: {},
  event_types: {},
}

/** Keys in Base64 as a path has them. */
const paths: Readonly<Record<string, (key: string) => string>> = {
  'the last step': (key) => `https://a.example/hook/${key}`,
  'the last step, encoded': (key) => `https://a.example/hook/${encodeURIComponent(key)}`,
  'the last step, encoded twice': (key) => `https://a.example/hook/${encodeURIComponent(encodeURIComponent(key))}`,
  'a step in the middle': (key) => `https://a.example/v1/hook/${key}/orders`,
  'a step in the middle, encoded': (key) => `https://a.example/v1/hook/${encodeURIComponent(key)}/orders`,
  'the first step': (key) => `https://a.example/${key}/orders?version=2`,
}

/** Addresses that are credentials, as people write them into a text. */
const chats: Readonly<Record<string, Form>> = {
  'Slack with a port': (c, at) => `posts to https://hooks.slack.com:443/services/T0/B0/${c.word(at)}`,
  'Slack without a scheme': (c, at) => `posts to hooks.slack.com/services/T0/B0/${c.word(at)}, see the wiki`,
  'Teams with a port': (c, at) => `see https://acme.webhook.office.com:443/webhookb2/${c.word(at)}/IncomingWebhook/1`,
  Discord: (c, at) => `(https://discord.com:443/api/webhooks/1/${c.word(at)})`,
  PagerDuty: (c, at) => `pages https://events.pagerduty.com:443/integration/${c.word(at)}/enqueue`,
  'Google Chat': (c, at) => `<https://chat.googleapis.com/v1/spaces/AAA/messages?key=${c.word(at)}&threadKey=x>`,
}

/** Items with a secret in each form in each place. */
export function plantForms(projectUid: string, canaries: Canaries): Planted {
  let count = 0
  const itemsOf = (listing: Listing): JsonObject[] => {
    const made: JsonObject[] = []
    const add = (members: JsonObject) => {
      count += 1
      made.push({
        uid: `${listing.slice(0, 2)}-form-${count}`,
        project_id: projectUid,
        name: `form ${count}`,
        ...usual[listing],
        ...members,
      })
    }
    for (const [place, put] of Object.entries(placesOfWords[listing])) {
      for (const text of textsFor(place, canaries)) add(put(text))
    }
    for (const [place, put] of Object.entries(placesOfWord[listing])) {
      for (const write of credentials) add(put(write(canaries, place)))
    }
    if (listing === 'subscriptions' || listing === 'event_types') return made
    for (const [form, write] of Object.entries(paths)) {
      for (let times = 0; times < 8; times++) add({ url: write(canaries.key(`url of ${listing}, Base64 as ${form}`)) })
    }
    if (listing === 'endpoints') {
      for (const [form, write] of Object.entries(chats)) add({ description: write(canaries, `description: ${form}`) })
    }
    return made
  }
  const filters = rowsInForms(canaries)
  const withRows = Object.keys(filters).map((uid) => {
    return { uid, project_id: projectUid, name: uid, ...usual.subscriptions }
  })
  return {
    endpoints: itemsOf('endpoints'),
    sources: itemsOf('sources'),
    subscriptions: [...itemsOf('subscriptions'), ...withRows],
    event_types: itemsOf('event_types'),
    filters,
  }
}

/** For each place, a subscription with a row for each form. */
function rowsInForms(canaries: Canaries): Planted['filters'] {
  const places = Object.entries(placesInRows).map(([place, put], index): [string, JsonObject[]] => {
    const uid = `su-rows-${index}`
    return [uid, textsFor(place, canaries).map((text, at) => rowOf(uid, at, put(text)))]
  })
  return Object.fromEntries(places)
}

/** Texts with a secret in each form. */
function textsFor(place: string, canaries: Canaries): string[] {
  return [
    ...Object.entries({ ...assignments, ...disguises }).map(([form, write]) => write(canaries, `${place}: ${form}`)),
    canaries.printable(`${place}: a text of all signs`),
    canaries.token(`${place}: a credential`),
  ]
}
