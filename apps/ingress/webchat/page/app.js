import { Connection } from './connection.js';
import { Conversation } from './conversation.js';
import { View } from './view.js';

const $ = (id) => document.getElementById(id);
const stored = (name) => sessionStorage.getItem(`turnpike.${name}`) ?? '';
const store = (name, value) => sessionStorage.setItem(`turnpike.${name}`, value);

const LINK_WORDS = {
  connecting: 'connecting',
  online: 'online',
  offline: 'offline, trying again',
  'bad-token': 'no access',
  'foreign-session': 'no access',
};

let conversation = new Conversation();
let connection;
let drawing = false;
const view = new View($('log'), { again, discard, say: dispatch });

/** A link may carry #token=...&session=...: kept for this tab, and taken out of the address bar and the history. */
function takeFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has('token') && !given.has('session')) return;
  for (const name of ['token', 'session']) if (given.has(name)) store(name, given.get(name));
  history.replaceState(null, '', location.pathname + location.search);
}

function connect() {
  connection?.close();
  conversation = new Conversation();
  draw();
  if (!stored('token')) return askToken();
  showSession(stored('session') || 'default');
  const url = `${location.origin.replace(/^http/, 'ws')}/ws`;
  connection = new Connection({ url, token: stored('token'), session: stored('session') || undefined, on: { state, frame } });
}

function state(name, detail) {
  $('link').dataset.state = name;
  $('link').textContent = LINK_WORDS[name];
  if (name === 'bad-token') askToken(detail || 'This token is not known here.');
  if (name === 'foreign-session') askSession(detail || 'This token may not use that session.');
  draw();
}

function frame(received) {
  switch (received.type) {
    case 'history':
      showSession(received.session);
      conversation.history(received);
      break;
    case 'event':
      conversation.event(received.event);
      announce(received.event);
      if (received.event.type === 'turn.end' && conversation.hasUnknownQuestions) connection.refresh();
      break;
    case 'ack':
      conversation.ack(received);
      break;
    case 'error':
      if (received.id !== undefined) conversation.refuse(received.id, received.problem.detail ?? received.problem.title);
      break;
  }
  draw();
}

/** Many tokens may come within one frame of the screen. */
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    view.draw(conversation);
    const online = $('link').dataset.state === 'online';
    $('welcome').hidden = !conversation.isEmpty || !online;
    $('stop').hidden = !conversation.running;
    $('send').disabled = $('text').value.trim() === '';
    showLatest();
  });
}

function announce(event) {
  const isEdit = event.type === 'message.changed' && event.action.do === 'edit';
  if (event.type !== 'message' && !isEdit) return;
  $('announcer').textContent = event.text;
}

function send(event) {
  event.preventDefault();
  const text = $('text').value.trim();
  if (!text || !connection) return;
  $('text').value = '';
  grow();
  dispatch(text);
  requestAnimationFrame(() => view.toEnd());
}

function dispatch(text) {
  // Not crypto.randomUUID: it is missing where the page is served over plain HTTP.
  const id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  conversation.send(id, text);
  connection.send(id, text);
  draw();
}

/** The first try is settled for good under its id; this is a new message. */
function again(id) {
  const message = conversation.own.find((own) => own.id === id);
  conversation.discard(id);
  if (message) dispatch(message.text);
}

function discard(id) {
  conversation.discard(id);
  draw();
}

function askToken(problem = '') {
  showProblem($('login-problem'), problem);
  $('token').value = '';
  if (!$('login').open) $('login').showModal();
}

function askSession(problem = '') {
  showProblem($('session-problem'), problem);
  $('session-input').value = stored('session');
  $('recent').replaceChildren(...recent().map((name) => new Option(name, name)));
  if (!$('sessions').open) $('sessions').showModal();
}

function recent() {
  return stored('recent').split('\n').filter(Boolean);
}

function openSession() {
  const name = $('session-input').value.trim();
  store('session', name);
  if (name) store('recent', [name, ...recent().filter((other) => other !== name)].slice(0, 8).join('\n'));
  connect();
}

function showProblem(node, problem) {
  node.textContent = problem;
  node.hidden = !problem;
}

function showSession(name) {
  $('session-name').textContent = name;
}

function grow() {
  const text = $('text');
  text.style.height = 'auto';
  text.style.height = `${text.scrollHeight}px`;
}

function showLatest() {
  $('latest').hidden = view.atEnd;
}

$('composer').addEventListener('submit', send);
$('text').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event);
});
$('text').addEventListener('input', () => {
  grow();
  draw();
});
$('stop').addEventListener('click', () => connection.stop());
$('latest').addEventListener('click', () => view.toEnd());
$('session').addEventListener('click', () => askSession());
$('login').addEventListener('close', () => {
  const token = $('token').value.trim();
  if (token) store('token', token);
  connect();
});
$('sessions').addEventListener('close', () => {
  if ($('sessions').returnValue === 'open' || $('link').dataset.state === 'foreign-session') openSession();
  $('sessions').returnValue = '';
});
$('forget').addEventListener('click', () => {
  store('token', '');
  $('sessions').close();
  connect();
});
$('log').parentElement.addEventListener('scroll', showLatest, { passive: true });
addEventListener('online', () => connection?.hurry());
addEventListener('hashchange', () => {
  takeFragment();
  connect();
});
document.addEventListener('visibilitychange', () => document.hidden || connection?.hurry());

takeFragment();
connect();
