import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

// The forms that receivers publish, written from their documentation; strict, so that a slip in a name is noticed.

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const address = { type: 'string', format: 'uri', pattern: '^https?://', maxLength: 2048 }
const strict = (properties: Readonly<Record<string, object>>, required: readonly string[]) => {
  return { type: 'object', properties, required, additionalProperties: false }
}

/**
 * An event of the Events API v2 of PagerDuty.
 * https://developer.pagerduty.com/docs/events-api-v2/trigger-events/: the members and their limits (a routing key of 32
 * characters, a dedup_key of at most 255, a summary of at most 1024, four severities); a resolve needs the key alone.
 */
const pagerDutyEvent = {
  oneOf: [
    strict(
      {
        routing_key: { type: 'string', pattern: '^[A-Za-z0-9]{32}$' },
        event_action: { const: 'trigger' },
        dedup_key: text(255),
        payload: strict(
          {
            summary: text(1024),
            source: text(1024),
            severity: { enum: ['critical', 'error', 'warning', 'info'] },
            timestamp: { type: 'string', format: 'date-time' },
            component: text(1024),
            group: text(1024),
            class: text(1024),
            custom_details: { type: 'object' },
          },
          ['summary', 'source', 'severity'],
        ),
        images: { type: 'array', items: strict({ src: address, href: address, alt: text(1024) }, ['src']) },
        links: { type: 'array', items: strict({ href: address, text: text(1024) }, ['href']) },
        client: text(1024),
        client_url: address,
      },
      ['routing_key', 'event_action', 'dedup_key', 'payload'],
    ),
    strict(
      {
        routing_key: { type: 'string', pattern: '^[A-Za-z0-9]{32}$' },
        event_action: { enum: ['acknowledge', 'resolve'] },
        dedup_key: text(255),
      },
      ['routing_key', 'event_action', 'dedup_key'],
    ),
  ],
}

const spacing = { enum: ['None', 'Small', 'Default', 'Medium', 'Large', 'ExtraLarge', 'Padding'] }
const size = { enum: ['Default', 'Small', 'Medium', 'Large', 'ExtraLarge'] }
const weight = { enum: ['Default', 'Lighter', 'Bolder'] }
const fontType = { enum: ['Default', 'Monospace'] }
const isTrue = { type: 'boolean' }

/**
 * The elements of an Adaptive Card of version 1.4 that hookdrift uses, with all members of each.
 * https://adaptivecards.io/explorer/: AdaptiveCard, TextBlock, RichTextBlock, TextRun
 */
const textRun = strict(
  {
    type: { const: 'TextRun' },
    text: text(20_000),
    size,
    weight,
    fontType,
    color: { type: 'string' },
    highlight: isTrue,
    isSubtle: isTrue,
    italic: isTrue,
    strikethrough: isTrue,
    selectAction: { type: 'object' },
    underline: isTrue,
  },
  ['type', 'text'],
)
const ofElements = { spacing, separator: isTrue, id: { type: 'string' }, isVisible: isTrue, height: { type: 'string' } }
const richTextBlock = strict(
  {
    type: { const: 'RichTextBlock' },
    inlines: { type: 'array', minItems: 1, items: textRun },
    ...ofElements,
    horizontalAlignment: { enum: ['Left', 'Center', 'Right'] },
  },
  ['type', 'inlines'],
)
const textBlock = strict(
  {
    type: { const: 'TextBlock' },
    text: text(20_000),
    size,
    weight,
    fontType,
    wrap: isTrue,
    isSubtle: isTrue,
    ...ofElements,
    color: { type: 'string' },
    maxLines: { type: 'integer' },
  },
  ['type', 'text'],
)

/**
 * A message to a workflow of Microsoft Teams that posts cards.
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using (send
 * Adaptive Cards: `type`, `attachments` with `contentType`, `contentUrl` and `content`)
 */
const teamsMessage = strict(
  {
    type: { const: 'message' },
    attachments: {
      type: 'array',
      minItems: 1,
      items: strict(
        {
          contentType: { const: 'application/vnd.microsoft.card.adaptive' },
          contentUrl: { type: ['string', 'null'] },
          content: strict(
            {
              $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
              type: { const: 'AdaptiveCard' },
              version: { const: '1.4' },
              fallbackText: text(1000),
              body: { type: 'array', minItems: 1, items: { oneOf: [textBlock, richTextBlock] } },
            },
            ['type', 'version', 'body'],
          ),
        },
        ['contentType', 'content'],
      ),
    },
  },
  ['type', 'attachments'],
)

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })
addFormats.default(ajv)
const checkEvent = ajv.compile(pagerDutyEvent)
const checkMessage = ajv.compile(teamsMessage)

/** Against the published limit of 512 KB: https://developer.pagerduty.com/docs/events-api-v2/overview/ */
export function faultsOfPagerDuty(body: string): readonly string[] {
  return [...faultsOf(checkEvent, body), ...(Buffer.byteLength(body) > 512_000 ? ['longer than 512 KB'] : [])]
}

/** Against the published limit of about 28 KB: https://learn.microsoft.com/en-us/connectors/teams/ */
export function faultsOfTeams(body: string): readonly string[] {
  return [...faultsOf(checkMessage, body), ...(Buffer.byteLength(body) > 28 * 1024 ? ['longer than 28 KB'] : [])]
}

function faultsOf(check: ValidateFunction, body: string): readonly string[] {
  const value: unknown = JSON.parse(body)
  const faults = check(value)
    ? []
    : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  return [...faults, ...(/[\p{Cs}]/u.test(body) || /\\ud[89a-f]/i.test(body) ? ['a lone surrogate'] : [])]
}
