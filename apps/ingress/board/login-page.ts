/** Asks for a token. No script, so that it works wherever the board does. */
export const LOGIN_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Turnpike queues</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 100vh; margin: 0; background: #f5f6f8; color: #1d2330 }
  form { background: #fff; padding: 2rem; border-radius: 8px; box-shadow: 0 1px 4px #0002; width: min(22rem, 80vw) }
  h1 { font-size: 1.25rem; margin: 0 0 1rem }
  label { display: block; margin-bottom: .25rem }
  input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; border: 1px solid #8892a4; border-radius: 4px }
  button { margin-top: 1rem; background: #1d4ed8; border-color: #1d4ed8; color: #fff; cursor: pointer }
  p { color: #5b6475; font-size: .875rem; margin: 1rem 0 0 }
</style>
<form method="post" action="/queues/login">
  <h1>Turnpike queues</h1>
  <label for="token">Access token</label>
  <input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
  <button>Sign in</button>
  <p>An admin token, or one that may see the board.</p>
</form>
</html>
`;
