import { html } from '../../report/html/markup.ts'
import { layOutNotice } from '../layout.ts'

interface LoginForm {
  /** Of this site. */
  readonly to: string
  /** Why the form is there again. */
  readonly fault?: string
}

/** The page that asks for a token. */
export function showLoginForm({ to, fault }: LoginForm): string {
  const alarm = fault === undefined ? html`` : html`<p class="fault" id="fault" role="alert">${fault}</p>`
  const described = fault === undefined ? html`` : html` aria-describedby="fault" aria-invalid="true"`
  // A browser does not send the cookie with the first request that follows a link of another site.
  const again =
    to === '/' || fault !== undefined
      ? html``
      : html`<p class="soft">Logged in already, and came by a link? <a href="${to}">Open the page</a>.</p>`
  return layOutNotice(
    'Log in',
    html`${alarm}<form class="login" method="post" action="/login"><p><label for="token">Token</label> <input id="token" name="token" type="password" autocomplete="current-password" required maxlength="200" size="40"${described}></p>
<input type="hidden" name="to" value="${to}">
<p><button>Log in</button></p></form>
${again}<p class="soft">The operator of hookdrift has the token: it is in <code>serve</code> of the configuration.</p>`,
    { isInside: false },
  )
}
