import type { ProxyVariables } from '../../gateway/service/proxy-for.ts'
import { cut, neutralise } from '../../model/text/neutralise.ts'
import type { Severity } from '../../model/violation.ts'
import type { Message, SendMessage } from '../message.ts'
import { post } from '../request.ts'
import { fitMessage, plainLine, showMessage } from '../show-message.ts'

interface PagerDuty {
  readonly routing_key: string
  /** Of the Events API, with or without the path. */
  readonly url: string
}

/**
 * The Events API v2 of PagerDuty: an event triggers the alert of a key, another resolves it. Both may be repeated.
 * https://developer.pagerduty.com/docs/events-api-v2/trigger-events/
 */
export function sendToPagerDuty({ routing_key, url: base }: PagerDuty, env: ProxyVariables): SendMessage {
  const url = base.endsWith('/v2/enqueue') ? base : `${base.replace(/\/$/, '')}/v2/enqueue`
  return async (message, signal) => {
    const send = (event: object) =>
      post({ url, headers: {}, body: JSON.stringify({ routing_key, ...event }) }, env, signal)
    const { incident } = message
    // A resolving event has no room for words: how a violation ended is in the message, which the outbox keeps.
    if (incident?.action === 'resolve') return send({ event_action: 'resolve', dedup_key: incident.key })
    const sent = await send({ event_action: 'trigger', dedup_key: incident?.key ?? message.id, ...alertOf(message) })
    // A test leaves nothing open.
    if (incident !== undefined || !sent.ok) return sent
    return send({ event_action: 'resolve', dedup_key: message.id })
  }
}

/** `info` is what a person needs not act on: the severity of hookdrift's own tests. */
const severityOf: Readonly<Record<Severity, 'critical' | 'error' | 'warning' | 'info'>> = {
  critical: 'critical',
  high: 'error',
  medium: 'warning',
  low: 'info',
  info: 'info',
}

/** A summary has at most 1024 characters, and `cut` adds the original length. */
const longestText = 900
/** An event that is longer than 512 KB is refused. */
const mostBytes = 100_000

function alertOf(message: Message) {
  const { events, causes = [], created_at: timestamp, report_url, title, severity, project } = message
  const [first] = events
  const only = events.length === 1 && causes.length === 0 ? first : undefined
  const links = [
    { href: only?.ui_url, text: 'Open in the gateway' },
    { href: only?.report_url, text: 'Show in the report' },
    { href: report_url, text: 'Open the report' },
  ].filter(({ href }) => href !== undefined)
  const what = fitMessage(message, detailsOf, (text) => Buffer.byteLength(text) <= mostBytes)
  return {
    payload: {
      summary: textOf(title),
      source: textOf(project ?? 'hookdrift'),
      severity: severityOf[severity ?? 'info'],
      timestamp,
      component: only?.kind && textOf(`${only.kind} ${only.uid ?? ''}`),
      group: project === null ? undefined : textOf(project),
      class: only?.rule && textOf(only.rule),
      custom_details: { what },
    },
    client: 'hookdrift',
    client_url: report_url,
    links: links.length === 0 ? undefined : links,
  }
}

function detailsOf(message: Message): string {
  return showMessage(message).slice(1).map(plainLine).join('\n')
}

function textOf(text: string): string {
  return cut(neutralise(cut(text, 4 * longestText)), longestText)
}
