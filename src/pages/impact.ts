import type { ImpactRow } from '../questions/impact-row.ts'
import type { QuestionReply } from '../questions/question.ts'
import { text } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import { command } from '../report/html/components/parts.ts'
import { html, type Markup } from '../report/html/markup.ts'
import type { AskedImpact, SiteContent, SitePage, SiteQuery, SiteRequest } from './page.ts'
import { hookdriftCommand } from './same-answer.ts'

export const impactPath = '/impact'

/** Where a person asks what a drift cost. Opening it asks no gateway: that takes its button. */
export const impactPage: SitePage = {
  path: impactPath,
  parameters: ['target', 'from', 'to'],
  isOfRun: false,
  show: async (request) => showImpact(request, readAsked(request.query), undefined),
}

/** The page after its button was pressed. The query is that of the form. */
export function answeringPage(form: SiteQuery): SitePage {
  return {
    ...impactPage,
    parameters: [],
    async show(request) {
      const asked = readAsked(form)
      return showImpact(request, asked, await request.askImpact?.(asked))
    },
  }
}

function readAsked(query: SiteQuery): AskedImpact {
  return { target: query.one('target') ?? '', from: query.one('from'), to: query.one('to') }
}

function showImpact(
  request: SiteRequest,
  asked: AskedImpact,
  reply: QuestionReply<ImpactRow> | undefined,
): SiteContent {
  const { target, from, to } = asked
  return {
    title: 'What it cost',
    crumbs: [],
    body: html`<p class="meta">Which deliveries failed because of a drift, which events got none, and the requests that send them again.</p>
${showForm(request, asked)}
${reply !== undefined && showAnswer(reply)}`,
    same: { command: ['impact'], operands: { target }, options: { from, to }, isOfNoRun: true },
  }
}

function showForm(request: SiteRequest, asked: AskedImpact): Markup {
  const { target, from, to } = asked
  if (request.askImpact === undefined) return showCommand(asked)
  const field = (name: string, label: string, value: string | undefined, hint: string) =>
    html`<label>${label} <input name="${name}" value="${value ?? ''}" placeholder="${hint}" size="24"></label>
`
  return html`<form class="filters" method="post" action="${impactPath}">
${field('target', 'Target', target, 'a violation, a cause, a resource')}${field('from', 'From', from, 'the last run that saw it as before')}${field('to', 'To', to, 'the run that saw it put back, or now')}<p class="check"><button>Ask the gateway</button></p>
</form>`
}

/** A button that asks about a target; for readers who may not, the command. */
export function impactButton(request: SiteRequest, target: string): Markup {
  const asked = { target, from: undefined, to: undefined }
  if (request.askImpact === undefined) return showCommand(asked)
  return html`<form method="post" action="${impactPath}"><input type="hidden" name="target" value="${target}"><p><button>Count what was not delivered</button> <span class="soft">This asks the gateway.</span></p></form>`
}

function showCommand({ target, from, to }: AskedImpact): Markup {
  const words = hookdriftCommand(['impact'], { operands: [target || 'TARGET'], options: { from, to } })
  return html`<p>It takes a key of the gateway, which these pages do not use for you. This command asks it: ${command(words)}</p>`
}

function showAnswer({ answer, view }: QuestionReply<ImpactRow>): Markup {
  const { remarks = [], conclusion = [] } = answer
  const blocks = view.blocks?.(answer, { runNumber: 0, commandFor: (line) => `hookdrift ${line}` }) ?? []
  return html`<h2 id="answer">Answer</h2>
${asHtml([...remarks.map((said) => text(said, 'strong')), ...blocks, ...conclusion.map((said) => text(said, 'aside'))], undefined, 3)}`
}
