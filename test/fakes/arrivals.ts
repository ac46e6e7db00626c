/** A list that is waited on: whoever asks for the next n of a topic gets them as soon as they are there, each once. */
export class Arrivals<T> {
  private readonly unread = new Map<string, T[]>();
  private readonly waiting: { topic: string; count: number; resolve: (items: T[]) => void }[] = [];

  push(topic: string, item: T): void {
    this.of(topic).push(item);
    const ready = this.waiting.findIndex((waiter) => waiter.topic === topic && this.of(topic).length >= waiter.count);
    const [waiter] = ready < 0 ? [] : this.waiting.splice(ready, 1);
    waiter?.resolve(this.of(topic).splice(0, waiter.count));
  }

  next(topic: string, count: number): Promise<T[]> {
    if (this.of(topic).length >= count) return Promise.resolve(this.of(topic).splice(0, count));
    return new Promise((resolve) => this.waiting.push({ topic, count, resolve }));
  }

  private of(topic: string): T[] {
    const items = this.unread.get(topic) ?? [];
    this.unread.set(topic, items);
    return items;
  }
}
